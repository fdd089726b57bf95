// Plays a record of a flight in a page. `engine/notebook/view.py` writes the data into the element "flight" and describes its fields.

import {
  AmbientLight, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide, EdgesGeometry,
  Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, MeshStandardMaterial, PerspectiveCamera, Quaternion,
  Scene, Vector3, WebGLRenderer,
} from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const MOMENTUM = 0xffb000, RATES = 0x40d0f0, PATH = 0xf2f2f2, BACKGROUND = 0x14181d;
const FACES = [0xa9b4bf, 0x74808c, 0xd9dfe4].map((colour) => new Color(colour));
const LARGEST_TURN = Math.PI / 60; // between two points of the path of an axis
const SHORTEST_RUN = 40; // seconds that a record may take from beginning to end before it starts faster than real time

const data = JSON.parse(document.getElementById("flight").textContent);

function decode(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Kind(bytes.buffer);
}

const time = decode(data.time, Float64Array);
const duration = time[time.length - 1];
const bodies = data.bodies.map((body) => ({
  ...body,
  vertices: decode(body.vertices, Float32Array),
  faces: decode(body.faces, Uint32Array),
  position: decode(body.position, Float32Array),
  orientation: decode(body.orientation, Float32Array),
  center: decode(body.center, Float32Array),
  momentum: body.momentum && decode(body.momentum, Float32Array),
  rates: body.rates && decode(body.rates, Float32Array),
}));
const followed = bodies[data.follow];

// what is between two samples

function place(now) {
  let low = 0, high = time.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= now) low = middle; else high = middle;
  }
  const span = time[high] - time[low];
  return { low, high, share: span > 0 ? Math.min(Math.max((now - time[low]) / span, 0), 1) : 0 };
}

function between(values, { low, high, share }, target) {
  return target.fromArray(values, 3 * low).lerp(new Vector3().fromArray(values, 3 * high), share);
}

function turned(values, { low, high, share }, target) {
  return target.fromArray(values, 4 * low).slerp(new Quaternion().fromArray(values, 4 * high), share).normalize();
}

// the scene

const renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
document.getElementById("picture").append(renderer.domElement);
const scene = new Scene();
scene.background = new Color(BACKGROUND);
const camera = new PerspectiveCamera(32, 1, 0.01, 1000);
camera.up.set(0, 0, 1);
const controls = new OrbitControls(camera, renderer.domElement);
controls.enablePan = false;
scene.add(new AmbientLight(0xffffff, 1.1));
const sun = new DirectionalLight(0xffffff, 2.6);
camera.add(sun);
sun.position.set(-1, 2, 1.5);
scene.add(camera);

function solid(body) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(body.vertices, 3));
  geometry.setIndex(new BufferAttribute(body.faces, 1));
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  const normals = flat.getAttribute("normal"), colours = new Float32Array(3 * normals.count);
  for (let vertex = 0; vertex < normals.count; vertex++) {
    const sizes = [normals.getX(vertex), normals.getY(vertex), normals.getZ(vertex)].map(Math.abs);
    FACES[sizes.indexOf(Math.max(...sizes))].toArray(colours, 3 * vertex);
  }
  flat.setAttribute("color", new BufferAttribute(colours, 3));
  const material = new MeshStandardMaterial({ vertexColors: true, flatShading: true, roughness: 0.6, side: DoubleSide });
  const group = new Group();
  group.add(new Mesh(flat, material));
  group.add(new LineSegments(new EdgesGeometry(geometry, 25), new LineBasicMaterial({ color: 0x2a3138 })));
  scene.add(group);
  return group;
}

for (const body of bodies) body.solid = solid(body);

const radius = Math.max(followed.radius, 1e-6), reach = 1.6 * radius;

function globe(size) {
  const points = [], steps = 96;
  for (let step = 0; step < steps; step++) {
    for (let circle = 0; circle < 11; circle++) {
      for (const angle of [step, step + 1].map((one) => (2 * Math.PI * one) / steps)) {
        // six meridians, all the way around, and five parallels
        const [latitude, longitude] = circle < 6 ? [angle, (Math.PI * circle) / 6] : [(Math.PI * (circle - 8)) / 6, angle];
        const across = size * Math.cos(latitude);
        points.push(across * Math.cos(longitude), across * Math.sin(longitude), size * Math.sin(latitude));
      }
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: 0x8a97a5, transparent: true, opacity: 0.22 }));
}

const sphere = globe(1.25 * radius);

function longest(values) {
  let greatest = 0;
  for (let i = 0; i < values.length; i += 3) {
    const length = Math.hypot(values[i], values[i + 1], values[i + 2]);
    if (length > greatest) greatest = length;
  }
  return greatest;
}

function arrow(values, colour, thickness) {
  if (!values || !(longest(values) > 0)) return null;
  const material = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
  const made = new Group();
  const shaft = new Mesh(new CylinderGeometry(thickness, thickness, 1, 12).translate(0, 0.5, 0), material);
  const head = new Mesh(new ConeGeometry(3 * thickness, 9 * thickness, 20).translate(0, -4.5 * thickness, 0), material);
  made.add(shaft, head);
  for (const part of made.children) part.renderOrder = 2;
  scene.add(made);
  return { made, shaft, head, least: 9 * thickness, scale: reach / longest(values) };
}

const UP = new Vector3(0, 1, 0); // of the cylinders and cones of three.js

function point(one, vector) {
  const length = one.scale * vector.length();
  one.made.visible = length > 1e-9 * radius;
  if (!one.made.visible) return;
  one.made.quaternion.setFromUnitVectors(UP, vector.normalize());
  one.shaft.scale.y = Math.max(length - 0.5 * one.least, 1e-9 * radius);
  one.head.position.y = length;
  one.head.scale.setScalar(Math.min(1, length / one.least));
}

// ω first and thicker, so that both are seen where they are parallel
const rates = arrow(followed.rates, RATES, 0.019 * radius);
const momentum = arrow(followed.momentum, MOMENTUM, 0.011 * radius);

// the path of an axis: all samples, with points between them where the body has turned far

const path = { line: null, ends: [], axis: new Vector3() };
const needle = new Line2(new LineGeometry(), new LineMaterial({ color: PATH, linewidth: 1.5 }));
needle.frustumCulled = false;
scene.add(needle);

function trace(axis) {
  if (path.line) scene.remove(path.line);
  path.axis.fromArray(axis).normalize();
  const points = [], ends = [], first = new Quaternion(), second = new Quaternion();
  for (let sample = 0; sample < time.length; sample++) {
    second.fromArray(followed.orientation, 4 * sample);
    const steps = sample ? Math.max(1, Math.ceil(first.angleTo(second) / LARGEST_TURN)) : 1;
    for (let step = 1; step <= steps && !Number.isNaN(second.x); step++) {
      const turn = sample ? first.clone().slerp(second, step / steps) : second;
      points.push(path.axis.clone().applyQuaternion(turn).multiplyScalar(1.25 * radius));
    }
    ends.push(points.length);
    first.copy(second);
  }
  path.ends = ends;
  if (points.length === 1) points.push(points[0]);
  path.line = new Line2(new LineGeometry(), new LineMaterial({ color: PATH, linewidth: 2.5 }));
  path.line.geometry.setPositions(points.flatMap((one) => one.toArray()));
  path.line.frustumCulled = false;
  scene.add(path.line);
}

// one moment

const shown = { momentum: true, rates: true, path: true };
const turn = new Quaternion(), position = new Vector3(), vector = new Vector3(), target = new Vector3();

function show(now) {
  const where = place(now);
  for (const body of bodies) {
    between(body.position, where, position);
    turned(body.orientation, where, turn);
    body.solid.visible = !Number.isNaN(position.x + turn.x);
    if (!body.solid.visible) continue;
    body.solid.quaternion.copy(turn);
    // the shape is given from the body's origin, the position is that of the mass centre
    body.solid.position.copy(position).sub(between(body.center, where, vector).applyQuaternion(turn));
  }
  const isThere = followed.solid.visible;
  if (isThere) {
    between(followed.position, where, position);
    turned(followed.orientation, where, turn);
    camera.position.add(vector.copy(position).sub(target));
    target.copy(position);
    controls.target.copy(target);
    document.body.dataset.orientation = turn.toArray().join(" ");
  }
  for (const one of [momentum, rates]) {
    if (!one) continue;
    one.made.visible = isThere && (one === momentum ? shown.momentum : shown.rates);
    if (!one.made.visible) continue;
    one.made.position.copy(target);
    if (one === momentum) point(one, between(followed.momentum, where, vector));
    else point(one, between(followed.rates, where, vector).applyQuaternion(turn));
  }
  for (const part of [path.line, needle, sphere]) {
    part.visible = isThere && shown.path;
    part.position.copy(target);
  }
  path.line.geometry.instanceCount = Math.max(path.ends[where.low] - 1, 0);
  vector.copy(path.axis).applyQuaternion(turn).multiplyScalar(1.25 * radius);
  needle.geometry.setPositions([0, 0, 0, ...vector.toArray()]);
  document.body.dataset.time = now;
}
scene.add(sphere);

// the bar of controls

const element = (name) => document.getElementById(name);
const state = { now: Math.min(data.at, duration), playing: data.playing && duration > 0, pace: 1 };
const paces = [0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 100, 300, 1000, 3000, 10000, 30000, 100000];
state.pace = paces.find((pace) => pace >= 1 && duration / pace <= SHORTEST_RUN) ?? paces.at(-1);
for (const pace of paces) {
  const option = new Option(`× ${pace}`, pace);
  option.selected = pace === state.pace;
  element("pace").add(option);
}
element("scrub").max = duration;
element("scrub").step = duration / 2000 || 1;
for (const [name, one] of [["momentum", momentum], ["rates", rates]]) {
  if (!one) element(name).closest("label").remove();
}

const axes = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
if (!Object.values(axes).some((axis) => axis.join() === data.axis.join())) {
  const title = data.axis.map((part) => +part.toPrecision(3)).join(", ");
  element("axis").add(new Option(`(${title})`, "given"));
  axes.given = data.axis;
}
element("axis").value = Object.keys(axes).find((name) => axes[name].join() === data.axis.join());
trace(data.axis);

function play(playing) {
  if (playing && state.now >= duration) state.now = 0;
  state.playing = playing && duration > 0;
  element("play").textContent = state.playing ? "Pause" : "Play";
  document.body.dataset.playing = state.playing;
}

function seek(now) {
  state.now = Math.min(Math.max(now, 0), duration);
}

element("play").addEventListener("click", () => play(!state.playing));
element("scrub").addEventListener("input", () => { play(false); seek(Number(element("scrub").value)); });
element("pace").addEventListener("change", () => { state.pace = Number(element("pace").value); });
element("axis").addEventListener("change", () => trace(axes[element("axis").value]));
for (const name of ["momentum", "rates", "path"]) {
  element(name)?.addEventListener("change", () => { shown[name] = element(name).checked; });
}
document.addEventListener("keydown", (event) => {
  if (event.target !== document.body) return;
  if (event.key === " ") play(!state.playing);
  else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    play(false);
    const { low, high } = place(state.now);
    if (event.key === "ArrowRight") seek(time[high] > state.now ? time[high] : duration);
    else seek(time[low] < state.now ? time[low] : time[Math.max(low - 1, 0)]);
  } else return;
  event.preventDefault();
});

// frames

function resize() {
  const { clientWidth: width, clientHeight: height } = element("picture");
  renderer.setSize(width, height);
  camera.aspect = width / Math.max(height, 1);
  camera.updateProjectionMatrix();
}

const distance = Math.max(4.6 * radius, 1.1 * data.extent);
camera.near = 0.02 * radius;
camera.far = 100 * (distance + data.extent);
camera.position.set(0.75 * distance, 0.52 * distance, 0.42 * distance);
window.addEventListener("resize", resize);
resize();
play(state.playing);

let last = null;
function frame(stamp) {
  if (state.playing && last !== null) {
    // a page that was hidden goes on where it was
    state.now += state.pace * Math.min(stamp - last, 100) / 1000;
    if (state.now > duration) state.now = 0;
  }
  last = stamp;
  show(state.now);
  controls.update();
  renderer.render(scene, camera);
  if (element("scrub").value !== String(state.now)) element("scrub").value = state.now;
  element("clock").textContent = `${(data.start + state.now).toFixed(duration < 10 ? 2 : 1)} s`;
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
