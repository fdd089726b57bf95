"""The numba pipelines for kernels and for inlined functions; that for inlined functions stops at LLVM's intermediate code.

By default numba compiles each function to machine code and makes it callable from Python. An inlined function is only used inside kernels,
so this pipeline omits both. It also omits the optimization passes over each single function, because LLVM repeats them when it optimizes
the whole module, and because loops that were optimized before they are inlined do not vectorise (measured on the loops in passes: 13 packed
multiplications beside 419 scalar ones). Together this saves a third of the time to compile a kernel. Both pipelines omit passes for parts
of the language that these functions do not use, which saves another tenth. `IRLegalization` remains: it ends the lives of variables,
without which the loops of the free rotor take 6 % longer. Two more tenths are saved by remembering the types of operations and of calls,
because numba looks through all its operators for every product of two floats and makes a class for every call, and by taking no times:
numba measures each pass and each nested compilation, and describes its arguments in words for whoever may listen. A third of the rest is
saved by writing less intermediate code (see `lowering`), by leaving out what constant arguments rule out before types are looked for, and
by looking once for where the lives of variables end, and not after each of six passes.

LLVM optimizes each inlined function as a module, with all that it calls, before it is linked into its callers: otherwise the fused loops do
not vectorise. There it does not look for vectors in straight code (SLP). That took half of these passes, and the machine code of kernels is
the same without it. A function that adds little to what it calls is not optimized by itself, because its callers would do all of that
again. This saves half of the rest.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, cached_property
from types import BuiltinFunctionType, CodeType

from numba import njit
from numba.core import config
from numba.core.cgutils import normalize_ir_text
from numba.core.codegen import JITCodeLibrary
from numba.core.codegen import ll as llvm
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.interpreter import Interpreter, peep_hole_delete_with_exit, peep_hole_fuse_dict_add_updates
from numba.core.ir import Arg, Assign, Const
from numba.core.ir_utils import build_definitions
from numba.core.lowering import Lower
from numba.core.rewrites import rewrite_registry
from numba.core.sigutils import normalize_signature
from numba.core.ssa import reconstruct_ssa
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import (
    DumpParforDiagnostics,
    InlineOverloads,
    NativeLowering,
    NopythonRewrites,
    PreLowerStripPhis,
)
from numba.core.types import BooleanLiteral, BoundFunction, Dispatcher, IntegerLiteral, Type, unliteral  # type: ignore[attr-defined]
from numba.core.typing import signature
from numba.core.typing.context import Context
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    GenericRewrites,
    InlineClosureLikes,
    InlineInlinables,
    IRProcessing,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    ReconstructSSA,
    RewriteDynamicRaises,
    TranslateByteCode,
    WithLifting,
)
from numba.extending import models, register_model

from .kernel_types import Kernel, Numba
from .lean import look_for_new_functions
from .lowering import LeanLower, call_of, may_raise, result_of_built_in

_FOR_OTHER_CODE = peep_hole_delete_with_exit, peep_hole_fuse_dict_add_updates
_FOR_INNER_FUNCTIONS = InlineClosureLikes, MakeFunctionToJitFunction
_UNUSED = (
    *(DumpParforDiagnostics, FindLiterallyCalls, InlineInlinables, InlineOverloads),
    *(LiteralPropagationSubPipelinePass, LiteralUnroll, NopythonRewrites, RewriteDynamicRaises, WithLifting),
)


PIPELINE = 4
"""Part of the key of cached kernels, to be changed together with what these pipelines make of a function."""
_CONSTANT_NUMBER = IntegerLiteral | BooleanLiteral
_PURE = {"_operator", "builtins", "math"}
"""The modules of functions whose signature depends on nothing but the types of the arguments."""


class _Typing(Context):  # type: ignore[misc]
    """A typing context that looks for each type once, and otherwise is the context that it is made from."""

    def __init__(self, context: Numba) -> None:
        self.__dict__.update(vars(context))
        self._signatures_found: dict[object, object] = {}
        self._attributes_found: dict[object, object] = {}
        self._values_found: dict[object, object] = {}

    def resolve_value_type(self, value: object) -> Numba:
        """Return the type of a value that code reads; part of numba's interface."""
        if not isinstance(value, BuiltinFunctionType):
            return getattr(value, "_numba_type_", None) or super().resolve_value_type(value)
        if value not in self._values_found:
            self._values_found[value] = super().resolve_value_type(value)
        return self._values_found[value]

    def resolve_function_type(self, function: object, arguments: tuple[Numba, ...], named: object) -> Numba:
        """Return the signature of a function for arguments of these types, or None; part of numba's interface."""
        if isinstance(function, Dispatcher) and (calls := getattr(function.dispatcher, "_calls", None)) is not None:
            return calls.signature(arguments, named)
        module = getattr(getattr(function, "typing_key", None), "__module__", None)
        if named or module not in _PURE:
            return super().resolve_function_type(function, arguments, named)
        # in a product or a comparison, the values of constants make no difference
        general = tuple(unliteral(kind) if isinstance(kind, _CONSTANT_NUMBER) else kind for kind in arguments)
        key = function, general
        if key not in self._signatures_found:
            result = result_of_built_in(function, general)
            self._signatures_found[key] = (
                super().resolve_function_type(function, general, named)
                if result is None
                else signature(result, *general)
            )
        return self._signatures_found[key]

    def resolve_getattr(self, kind: object, name: str) -> Numba:
        """Return the type of an attribute, or None; part of numba's interface."""
        key = kind, name
        if key in self._attributes_found:
            return self._attributes_found[key]
        found = super().resolve_getattr(kind, name)
        if not isinstance(found, BoundFunction):  # a method has a state of its own
            self._attributes_found[key] = found
        return found


_typing = cache(_Typing)


class Calls:
    """The calls of one inlined function by other compiled functions, each for arguments of some types."""

    def __init__(self, dispatcher: Numba, is_for_each: Sequence[bool]) -> None:
        """Take over what numba's dispatcher of the function does for such calls.

        Args:
            dispatcher: The dispatcher.
            is_for_each: Whether the function is compiled for each constant value, for each of its arguments.
        """
        self._dispatcher = dispatcher
        self._is_for_each = is_for_each
        self._known: dict[Numba, tuple[Numba, tuple[Numba, ...]]] = {}
        dispatcher._calls, dispatcher.compile = self, self.compile

    def signature(self, arguments: Numba, named: dict[str, Numba]) -> Numba:
        """Return the signature of a call, for which the function is compiled if it has not been."""
        key = arguments, tuple(named.items())
        if key not in self._known:
            kinds = zip(arguments, self._is_for_each, strict=False)
            general = tuple(kind if keeps else unliteral(kind) for kind, keeps in kinds)
            described, folded = self._dispatcher.fold_argument_types(general, named)
            self._known[key] = described, tuple(folded)
        described, types = self._known[key]
        if types not in self._dispatcher.overloads:
            self.compile(types)
        return self._dispatcher.overloads[types].signature.replace(pysig=described)

    def compile(self, wanted: Numba) -> Numba:
        """Compile the function for these types of arguments, unless it has been; part of numba's interface."""
        dispatcher = self._dispatcher
        types, returned = normalize_signature(wanted)
        if types not in dispatcher.overloads:
            with global_compiler_lock, dispatcher._compiling_counter:
                made = dispatcher._compiler.compile(types, returned)
                # what only the writing of its own code has used: a third of the objects that numba would keep
                made.fndesc.typemap = made.fndesc.calltypes = None
                dispatcher.overloads[tuple(made.signature.args)] = made._replace(type_annotation=None)
        return dispatcher.overloads[types].entry_point


class InlinedFunction(Dispatcher):
    """The type of an inlined function; what numba needs to compile it is made when compiled code first calls it.

    numba makes a dozen objects for each function, and an import of the engine would make ten thousand for functions that most programs
    never compile: this was a sixth of the time of the import.
    """

    def __init__(self, function: Kernel, options: dict[str, object], constants: AbstractSet[str]) -> None:
        """Describe a function.

        Args:
            function: The function.
            options: How numba compiles it.
            constants: The names of arguments for each constant value of which it is compiled.
        """
        self._store_object(function)  # type: ignore[attr-defined]
        Type.__init__(self, f"inlined({function})")
        self.py_func = function
        self._options, self._constants = options, constants

    @cached_property
    def dispatcher(self) -> Numba:
        """What numba compiles the function with."""
        made = njit(**self._options, pipeline_class=InlinedCompiler)(self.py_func)
        names = self.py_func.__code__.co_varnames[: self.py_func.__code__.co_argcount]
        Calls(made, [name in self._constants for name in names])
        return made


register_model(InlinedFunction)(models.OpaqueModel)


class _Passes(PassManager):  # type: ignore[misc]
    """Passes that are run and not measured."""

    def _runPass(self, _place: int, step: Numba, state: Numba) -> None:  # as numba calls it
        step.analysis = self._analysis
        step.run_initialization(state)
        step.run_pass(state)
        step.run_finalizer(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _PutInConstants(IRProcessing):  # type: ignore[misc]
    """Replaces arguments by their constant values, so that what they rule out is not compiled."""

    _name = "polhode_put_in_constants"

    def run_pass(self, state: Numba) -> bool:
        function = state.func_ir
        function.blocks = canonicalize_cfg(function.blocks)
        for block in function.blocks.values():
            for each in block.find_insts(Assign):
                kind = state.args[each.value.index] if isinstance(each.value, Arg) else None
                if isinstance(kind, _CONSTANT_NUMBER):
                    known = function._definitions[each.target.name]
                    place = known.index(each.value)
                    known[place] = each.value = Const(kind.literal_value, each.loc)
        return True


class _Translator(Interpreter):  # type: ignore[misc]
    """Reads byte code, without looking for what stands in `with` and what makes dictionaries."""

    def post_process(self, improvements: Numba, function: Numba) -> Numba:
        """Improve what has been read; part of numba's interface."""
        return super().post_process([each for each in improvements if each not in _FOR_OTHER_CODE], function)


@register_pass(mutates_CFG=True, analysis_only=False)
class _TranslateByteCode(TranslateByteCode):  # type: ignore[misc]
    _name = "polhode_translate_byte_code"

    def run_pass(self, state: Numba) -> bool:
        state["func_ir"] = _Translator(state["func_id"]).interpret(state["bc"])
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Rewrite(GenericRewrites):  # type: ignore[misc]
    """Puts constant places of tuples into instructions; when the lives of variables end is found later, and once."""

    _name = "polhode_rewrite"

    def run_pass(self, state: Numba) -> bool:
        blocks = state.func_ir.blocks
        for kind in rewrite_registry.rewrites["before-inference"]:
            rewrite, left = kind(state), list(blocks.items())
            while left:
                label, block = left.pop()
                if rewrite.match(state.func_ir, block, state.typemap, state.calltypes):
                    blocks[label] = rewrite.apply()
                    left.append((label, blocks[label]))
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _AssignOnce(ReconstructSSA):  # type: ignore[misc]
    """Gives each assignment a variable of its own; when their lives end is found later, and once."""

    _name = "polhode_assign_once"

    def run_pass(self, state: Numba) -> bool:
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _JoinVariables(PreLowerStripPhis):  # type: ignore[misc]
    """Undoes that where a value has come from several places."""

    _name = "polhode_join_variables"

    def run_pass(self, state: Numba) -> bool:
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerToMachineCode(NativeLowering):  # type: ignore[misc]
    _name = "polhode_lower_to_machine_code"

    @property
    def lowering_class(self) -> Numba:
        return Lower if config.DEBUGINFO_DEFAULT else LeanLower

    def run_pass(self, state: Numba) -> bool:
        state.library = state.library or _library(_KernelLibrary, state.targetctx.codegen(), state)
        changed: bool = super().run_pass(state)
        return changed


_REPLACED = {
    TranslateByteCode: _TranslateByteCode,
    IRProcessing: _PutInConstants,
    GenericRewrites: _Rewrite,
    ReconstructSSA: _AssignOnce,
    PreLowerStripPhis: _JoinVariables,
}


class _AsItIs:
    """A context that does not look for new functions of numba, because whoever needs an inlined function has done so."""

    def __init__(self, context: Numba) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Numba:
        return getattr(self._context, name)

    def refresh(self) -> None:
        """Part of numba's interface."""


_MANAGERS: dict[object, _Passes] = {}
"""The passes, which are the same for all functions with the same options of these pipelines."""


class KernelCompiler(CompilerBase):  # type: ignore[misc]
    """numba's pipeline for compiled functions, without what kernels do not use."""

    _lowering: object = _LowerToMachineCode
    _begins_with: Callable[[Numba], Numba] = staticmethod(lambda context: context)
    _look_for_new_functions: Callable[[Numba, Numba], None] = staticmethod(look_for_new_functions)

    def __init__(self, typing_context: Numba, target_context: Numba, *arguments: Numba) -> None:
        """Begin to compile a function; part of numba's interface."""
        self._look_for_new_functions(typing_context, target_context)
        super().__init__(self._begins_with(typing_context), self._begins_with(target_context), *arguments)
        self.state.typingctx = _typing(typing_context)

    def define_pipelines(self) -> list[Numba]:
        """Return the pipelines to try, in order; part of numba's interface."""
        has_inner_functions = any(isinstance(value, CodeType) for value in self.state.func_id.code.co_consts)
        key = self._lowering, has_inner_functions
        if key not in _MANAGERS:
            usual = DefaultPassBuilder.define_nopython_pipeline(self.state)
            omitted = _UNUSED if has_inner_functions else (*_UNUSED, *_FOR_INNER_FUNCTIONS)
            replaced = {**_REPLACED, NativeLowering: self._lowering}
            manager = _MANAGERS[key] = _Passes(usual.pipeline_name)
            manager.passes = [(replaced.get(step, step), text) for step, text in usual.passes if step not in omitted]
            manager.finalize()
        return [_MANAGERS[key]]


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerToIntermediateCode(_LowerToMachineCode):
    _name = "polhode_lower_to_intermediate_code"

    def run_pass(self, state: Numba) -> bool:
        codegen = _WithoutStraightVectors(state.targetctx.codegen())
        library = state.library = _library(_IntermediateLibrary, codegen, state)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        # Callers look up the code by the callable that numba would normally create. Any unique object can replace it.
        state["cr"] = lowered._replace(cfunc=_Uncallable())
        call = call_of(lowered.fndesc, library)
        state.targetctx._defns[state["cr"].cfunc].append(call, call.signature)
        if hasattr(library, "_reload_init"):  # since numba 0.62
            state.reload_init.extend(library._reload_init)
        return True


class InlinedCompiler(KernelCompiler):
    """The same pipeline without machine code."""

    _lowering = _LowerToIntermediateCode
    _begins_with = staticmethod(_AsItIs)
    _look_for_new_functions = staticmethod(lambda typing_context, target_context: None)


class _Uncallable:
    """Placeholder for a function without machine code."""


class _WithoutStraightVectors:
    """The code generator of numba, with passes over modules that make vectors of loops only."""

    def __init__(self, codegen: Numba) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Numba:
        return getattr(self._codegen, name)

    def _module_pass_manager(self, **options: Numba) -> Numba:
        return self._codegen._module_pass_manager(**{"slp_vectorize": False, **options})


class _KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel and of the function by which Python calls it, which is optimized with the kernel alone."""

    def _optimize_functions(self, module: Numba) -> None:
        if any(True for _ in self._final_module.functions):
            module.data_layout = self._codegen._data_layout
        else:
            super()._optimize_functions(module)


def _library(kind: type[JITCodeLibrary], codegen: Numba, state: Numba) -> Numba:
    """Return an empty library for what is being compiled, which can be kept on disk."""
    library: Numba = kind(codegen, state.func_id.func_qualname)
    library.enable_object_caching()
    return library


_LEAST_OWN_SHARE = 0.25
"""A function is optimized before it is linked into its callers if at least this share of its code is its own."""


class _IntermediateLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Intermediate code that is linked into kernels and never loaded by itself."""

    _shared_module: Numba
    may_raise = False
    """Whether a function may return another status than that of success."""

    def __init__(self, codegen: Numba, name: str) -> None:
        super().__init__(codegen, name)
        self._lines: dict[object, int] = {}
        """The length of the code of each function in it."""

    def add_ir_module(self, module: Numba) -> None:
        """Take the code of the function itself; part of numba's interface, called once."""
        text = normalize_ir_text(str(module))
        self.may_raise = may_raise(text)
        self._lines[self] = text.count("\n")
        self._final_module = llvm.parse_assembly(text)
        self._final_module.name, self._final_module.data_layout = module.name, self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        for library in self._linking_libraries:
            self._lines |= getattr(library, "_lines", {})
        if self._lines[self] >= _LEAST_OWN_SHARE * sum(self._lines.values()):
            super()._optimize_final_module()
            self._lines = {self: str(self._final_module).count("\n")}

    def finalize(self) -> None:
        """Link in what is called and optimize; part of numba's interface. What is wrong with the code is found in the kernel."""
        for library in dict.fromkeys(self._linking_libraries):
            if hasattr(self, "_reload_init"):  # since numba 0.62
                self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._optimize_final_module()
        self._finalized = True

    def _get_module_for_linking(self) -> Numba:
        if self._shared_module is None:
            self._ensure_finalized()
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == llvm.Linkage.external:
                    function.linkage = "linkonce_odr"
            self._shared_module = self._final_module
        return self._shared_module
