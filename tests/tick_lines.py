"""Lines of code of the functions that run and undo ticks, before a tick became a list of operations and now: `python -m tests.tick_lines`.

What makes operations, links kernels and lists them is counted, and so are the named tuples of their arguments. What ticks compute is not,
such as the step of islands, nor what came later, such as contacts, members of batches and islands that take a tick again. Lines are those
with a token, without comments and docstrings.
"""

import ast
import io
import subprocess
import tokenize
from collections.abc import Callable

from .repository.test_architecture import ENGINE, ROOT

BEFORE_COMMIT = "f7f430ba"
BEFORE = {
    "constraints/step.py": "islands_passes _is_repeated _show _kick_all _kick_by_called _kick_again_by_called _close_all islands_close "
    "_span_end linked_ticks islands_restore moved needs_two _is_taken",
    "integrators/extrapolated.py": "Extrapolated._held_ticks Extrapolated._staged_tick _put_back",
    "integrators/integrator.py": "StagedTick Integrator._held_ticks Integrator._staged_tick OneStepMethod._held_ticks "
    "OneStepMethod._staged_tick OneStepMethod._passes",
    "integrators/splitting.py": "Splitting._held_ticks Splitting._staged_tick Splitting._passes",
    "integrators/substepped.py": "Substepped._held_ticks Substepped._staged_tick Substepped._take_step Substepped._take_tick "
    "Substepped._converge _Steps _about_new_centers",
    "loops/actuators.py": "undo_drive settle_or_undo fly",
    "loops/undo.py": "undo undo_tick close_steps",
    "store/bodies.py": "Bodies.begin Bodies.end Bodies.end_interrupted",
    "tick/actuators.py": "Actuators._settling Actuators.key Actuators._count Actuators._arrays Actuators._ready Actuators._tables "
    "Actuators.tables_and_counts Actuators.around Actuators._fused Actuators._one_by_one "
    "Actuators.open Actuators.settle Actuators.undo Actuators.recover Actuators.image Actuators.restore actuator_kernels fly_loop is_mover",
    "tick/joint_steps.py": "JointSteps",
    "tick/joints.py": "Islands.key Joints.key Joints.around Joints._linked Joints.staged_tick Joints.recover Joints.restart Joints._in_use "
    "Joints.steps Joints.image Joints.restore Joints.keep LoopsAroundIslands loops_around_islands linked_loop kernels_around",
    "tick/plan.py": "Plan.opens_actuators Plan._gathers_in_steps Plan.gather Plan.choose Plan._key_now Plan.staged_tick Plan.move "
    "Plan._take_staged_in_python Plan._take_in_python Plan.recover Plan._evaluate",
    "tick/stages.py": "Stages._drive_actuators Stages._move Stages._freeze Stages._attempt Stages.finish",
}
NOW = {
    "compilation/choice.py": "linked",
    "compilation/packed.py": "declared_in",
    "constraints/arguments.py": "JointSteps Move",
    "constraints/divided.py": "sum_joint_steps",
    "constraints/passes.py": "islands_passes _is_repeated _part_and_try _show _kick_by_called",
    "constraints/ticks.py": "_is_taken needs_two islands_close _span_end move_islands",
    "integrators/extrapolated.py": "Extrapolated._operations _put_back",
    "integrators/integrator.py": "Step Beside Integrator._operations MethodInStages._operations MethodInStages._moves "
    "MethodInStages._held_ticks MethodInStages._evaluations MethodInStages._passes OneStepMethod._evaluations OneStepMethod._passes",
    "integrators/splitting.py": "Splitting._evaluations Splitting._passes",
    "integrators/substepped.py": "Substepped._operations Substepped._converge",
    "loops/actuators.py": "Parts Drive begin_driven end_driven undo_driven",
    "loops/extrapolation.py": "HeldConstant hold_constant",
    "loops/program.py": "Listed Moved run_program back_by forward_by _undo move Operation Program "
    "_overflowing _as_it_can_run _address loops_of_programs moving AtStages moving_in_stages _one_tick",
    "loops/keeping.py": "Kept keep put_back add_kept keeping",
    "loops/steps.py": "Counts steps_taken Divided open_steps blame_steps end_steps",
    "loops/undo.py": "Undone undo",
    "tick/actuators.py": "Actuators.operations Actuators.parts_put_back parts_of",
    "tick/beside.py": "BesideMethod",
    "tick/joints.py": "Joints.look Joints.operations Joints._bind Joints.operation_of_step Joints.in_stages Joints._in_use",
    "tick/plan.py": "Plan.gather Plan._call_tick_forces Plan._calls_within Plan.choose Plan._beside "
    "Plan._operations Plan.move Plan.try_calling Plan.recover Plan._evaluation",
    "tick/stages.py": "Stages._move Stages._try_again Stages._rejection Stages._attempt Stages.finish",
}


def code_lines(source: str) -> set[int]:
    """The numbers of the lines of a file that have a token, without comments and docstrings."""
    none = tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for token in tokens if token.type not in none for line in range(token.start[0], token.end[0] + 1)}
    texts = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    described = (text for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str))
    return lines - {line for text in described for line in range(text.lineno, (text.end_lineno or 0) + 1)}


def lines_of(source: str) -> dict[str, int]:
    """The lines of code of each function, class and method of a file, with their decorators."""
    code, found = code_lines(source), dict[str, int]()

    def visit(body: list[ast.stmt], owner: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                found[owner + node.name] = len(code & {*range(first, (node.end_lineno or 0) + 1)})
                if isinstance(node, ast.ClassDef):
                    visit(node.body, f"{owner}{node.name}.")

    visit(ast.parse(source).body, "")
    return found


def count(files: dict[str, str], read: Callable[[str], str]) -> dict[str, int]:
    """The lines of code of these functions, by file; `read` returns the text of a file of the engine."""
    found = {file: lines_of(read(file)) for file in files}
    return {file: sum(found[file][name] for name in names.split()) for file, names in files.items()}


def before() -> dict[str, int]:
    """Those of the commit before."""
    return count(BEFORE, lambda file: _git("show", f"{BEFORE_COMMIT}:engine/{file}"))


def now() -> dict[str, int]:
    """Those of the files that are here."""
    return count(NOW, lambda file: (ENGINE / file).read_text(encoding="utf-8"))


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True, text=True).stdout


def main() -> None:
    """Print both."""
    for title, counts in ((BEFORE_COMMIT, before()), ("now", now())):
        print(title, sum(counts.values()))
        for file, lines in counts.items():
            print(f"    {file:32}{lines:5}")


if __name__ == "__main__":
    main()
