"""The numba pipeline for inlined functions, which stops at LLVM's intermediate code.

By default numba compiles each function to machine code and makes it callable from Python. An inlined function is only used inside kernels,
so this pipeline omits both. It also omits the optimization passes over each single function, because LLVM repeats them when it optimizes
the whole module, and because loops that were optimized before they are inlined do not vectorise (measured on the loops in passes: 13 packed
multiplications beside 419 scalar ones). Together this saves a third of the time to compile a kernel. Passes for parts of the language that
these functions do not use are omitted too, which saves another tenth. `IRLegalization` remains: it ends the lives of variables, without
which the loops of the free rotor take 6 % longer. A further tenth is saved by remembering the types of operations, because numba looks
through all its operators for every product of two floats.
"""

from functools import cache
from types import CodeType
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import DumpParforDiagnostics, InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.types import BoundFunction
from numba.core.typing.context import Context
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    WithLifting,
)

_FOR_INNER_FUNCTIONS = InlineClosureLikes, MakeFunctionToJitFunction
_UNUSED = (
    *(DumpParforDiagnostics, FindLiterallyCalls, InlineInlinables, InlineOverloads),
    *(LiteralPropagationSubPipelinePass, LiteralUnroll, NopythonRewrites, RewriteDynamicRaises, WithLifting),
)


_PURE = {"_operator", "builtins", "math"}
"""The modules of functions whose signature depends on nothing but the types of the arguments."""


class _Typing(Context):  # type: ignore[misc]
    """A typing context that looks for each type once, and otherwise is the context that it is made from."""

    def __init__(self, context: Any) -> None:
        self.__dict__.update(vars(context))
        self._signatures_found: dict[Any, Any] = {}
        self._attributes_found: dict[Any, Any] = {}

    def resolve_function_type(self, function: Any, arguments: Any, named: Any) -> Any:
        """Return the signature of a function for arguments of these types, or None; part of numba's interface."""
        module = getattr(getattr(function, "typing_key", None), "__module__", None)
        if named or module not in _PURE:
            return super().resolve_function_type(function, arguments, named)
        key = function, arguments
        if key not in self._signatures_found:
            self._signatures_found[key] = super().resolve_function_type(function, arguments, named)
        return self._signatures_found[key]

    def resolve_getattr(self, kind: Any, name: str) -> Any:
        """Return the type of an attribute, or None; part of numba's interface."""
        key = kind, name
        if key in self._attributes_found:
            return self._attributes_found[key]
        found = super().resolve_getattr(kind, name)
        if not isinstance(found, BoundFunction):  # a method has a state of its own
            self._attributes_found[key] = found
        return found


_typing = cache(_Typing)


class InlinedCompiler(CompilerBase):  # type: ignore[misc]
    """numba's pipeline for compiled functions, without machine code and without what scalar functions do not need."""

    def __init__(self, typing_context: Any, target_context: Any, *arguments: Any) -> None:
        """Begin to compile a function; part of numba's interface."""
        super().__init__(typing_context, target_context, *arguments)
        self.state.typingctx = _typing(typing_context)

    def define_pipelines(self) -> list[Any]:
        """Return the pipelines to try, in order; part of numba's interface."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        has_inner_functions = any(isinstance(value, CodeType) for value in self.state.func_id.code.co_consts)
        omitted = _UNUSED if has_inner_functions else (*_UNUSED, *_FOR_INNER_FUNCTIONS)
        manager.passes = [
            (_LowerToIntermediateCode if step is NativeLowering else step, text)
            for step, text in manager.passes
            if step not in omitted
        ]
        manager.finalize()
        return [manager]


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerToIntermediateCode(NativeLowering):  # type: ignore[misc]
    _name = "polhode_lower_to_intermediate_code"

    def run_pass(self, state: Any) -> bool:
        state.library = library = _IntermediateLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        library.enable_object_caching()
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        # Callers look up the code by the callable that numba would normally create. Any unique object can replace it.
        state["cr"] = lowered._replace(cfunc=_Uncallable())
        state.targetctx.insert_user_function(state["cr"].cfunc, lowered.fndesc, [library])
        if hasattr(library, "_reload_init"):  # since numba 0.62
            state.reload_init.extend(library._reload_init)
        return True


class _Uncallable:
    """Placeholder for a function without machine code."""


class _IntermediateLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Intermediate code that is linked into kernels and never loaded by itself."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True
