"""How numba compiles functions that exist inside kernels only: as far as LLVM's intermediate code.

By itself numba turns each function that it compiles into machine code and makes it callable from Python. An inlined function is neither run
nor called, so that is left out here, and with it the passes over each function alone, which LLVM repeats when it optimizes the module:
together a third of the time to compile a kernel.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering, NopythonRewrites


class InlinedCompiler(CompilerBase):  # type: ignore[misc]
    """numba's pipeline for compiled functions, without what concerns array expressions and machine code."""

    def define_pipelines(self) -> list[Any]:
        """Part of numba's interface: the pipelines to try, in order."""
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        replaced = {NativeLowering: [_LowerToIntermediateCode], NopythonRewrites: []}
        manager.passes = [(own, text) for step, text in manager.passes for own in replaced.get(step, [step])]
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
        # Callers find the code under the callable that numba would have made. Any object of its own will do.
        state["cr"] = lowered._replace(cfunc=_Uncallable())
        state.targetctx.insert_user_function(state["cr"].cfunc, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        return True


class _Uncallable:
    """Stands for a function that has no machine code."""


class _IntermediateLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code to be linked into kernels, never into the process."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True
