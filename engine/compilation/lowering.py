"""How functions are written in LLVM's intermediate code: as numba does it, without what kernels do not need.

Kernels hold no references, and hardly any raises an exception. numba nevertheless keeps each variable in memory and clears it for a
reference that may be in it, asks after each call whether the function has raised, and copies an array to memory for each of its items that
is read. LLVM removes all of that, but most of the time to compile a function goes into writing, reading and removing it: an item of an
array took 49 instructions and takes 12, a call took 26 besides its arguments and takes 3.
"""

import re
from functools import partial
from operator import add, mul, sub

from numba.core import config
from numba.core import types as numba_types
from numba.core.cgutils import get_or_insert_function
from numba.core.cgutils import ir as llvm
from numba.core.errors import LoweringError, new_error_context  # type: ignore[attr-defined]
from numba.core.imputils import user_function
from numba.core.ir import Assign, Del, FreeVar, Global
from numba.core.lowering import Lower

from .kernel_types import Numba

types: Numba = numba_types
_RAISES = re.compile(r"ret i32 (?!0\b)")


def may_raise(text: str) -> bool:
    """Whether a function with this code may return another status than that of success."""
    return _RAISES.search(text) is not None


def call_of(made: Numba, library: Numba) -> Numba:
    """What numba calls to write a call of a function."""
    kind = made.restype
    if library.may_raise or isinstance(kind, types.Optional):
        return user_function(made, [library])

    def call(context: Numba, builder: Numba, signature: Numba, arguments: Numba) -> Numba:
        convention = context.call_conv
        described = convention.get_function_type(kind, made.argtypes)
        # without names and attributes, which its definition has
        function = get_or_insert_function(builder.module, described, made.mangled_name)
        with builder.goto_entry_block():
            result = builder.alloca(function.args[0].type.pointee)
        exception = llvm.Constant(function.args[1].type, None)
        parts = convention._get_arg_packer(made.argtypes).as_arguments(builder, arguments)
        builder.call(function, [result, exception, *parts])
        return context.get_returned_value(builder, kind, builder.load(result))

    with_library: Numba = call
    with_library.signature, with_library.libs = made.argtypes, (library,)
    return call


class _Builder(llvm.IRBuilder):  # type: ignore[misc]
    """Writes instructions, but none to take out of a tuple what has just been put into it."""

    def extract_value(self, tuple_: Numba, places: Numba, name: str = "") -> Numba:
        place = places if isinstance(places, int) else places[0] if len(places) == 1 else None
        whole = tuple_
        while place is not None and isinstance(whole, llvm.instructions.InsertValue) and len(whole.indices) == 1:
            if whole.indices[0] == place:
                return whole.value
            whole = whole.aggregate
        return super().extract_value(tuple_, places, name)


class LeanLower(Lower):  # type: ignore[misc]
    """Writes one function."""

    def setup_function(self, described: Numba) -> None:
        super().setup_function(described)
        self.builder = _Builder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)

    def lower_block(self, block: Numba) -> None:
        self.pre_block(block)
        with new_error_context("lowering a block", errcls_=partial(LoweringError, loc=block.loc)):
            for each in block.body:
                self.loc = each.loc
                self.lower_inst(each)
        self.post_block(block)

    def lower_inst(self, instruction: Numba) -> None:
        if isinstance(instruction, Del):
            self.delvar(instruction.value)
        elif isinstance(instruction, Assign):
            name = instruction.target.name
            self.storevar(self.lower_assign(self.typeof(name), instruction), name)
        else:
            super().lower_inst(instruction)

    def storevar(self, value: Numba, name: str, argidx: int | None = None) -> None:
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        if name in self._blk_local_varmap:
            return
        self._singly_assigned_vars.discard(name)
        self._alloca_var(name, self.typeof(name))
        place = self.getvar(name)
        # ends its life: otherwise the loops of the free rotor take 6 % longer
        self.builder.store(llvm.Constant(place.type.pointee, None), place)

    def alloca_lltype(self, name: str, lltype: Numba, datamodel: object = None) -> Numba:
        with self.builder.goto_entry_block():
            return self.builder.alloca(lltype, name=name)

    def lower_assign(self, kind: Numba, instruction: Numba) -> Numba:
        if isinstance(kind, types.Dispatcher) and isinstance(instruction.value, Global | FreeVar):
            return self.context.get_dummy_value()
        return super().lower_assign(kind, instruction)

    def lower_binop(self, kind: Numba, expression: Numba, operator: Numba) -> Numba:
        signature = self.fndesc.calltypes[expression]
        write = _ON_NUMBERS.get(operator)
        if write is None or (*signature.args, signature.return_type) != (types.float64,) * 3:
            return super().lower_binop(kind, expression, operator)
        pair = (
            self.context.cast(self.builder, self.loadvar(each.name), self.typeof(each.name), types.float64)
            for each in (expression.lhs, expression.rhs)
        )
        return self.context.cast(self.builder, write(self.builder, *pair), types.float64, kind)

    def lower_getitem(self, kind: Numba, expression: Numba, value: Numba, index: Numba, signature: Numba) -> Numba:
        array = self.typeof(value.name)
        if not _is_item(array, self.typeof(index.name)):
            return super().lower_getitem(kind, expression, value, index, signature)
        address, align = self._address(value, index), None if array.aligned else 1
        item = self.context.unpack_value(self.builder, array.dtype, address, align=align)
        return self.context.cast(self.builder, item, array.dtype, kind)

    def lower_setitem(self, target: Numba, index: Numba, value: Numba, signature: Numba) -> Numba:
        array = self.typeof(target.name)
        if not _is_item(array, self.typeof(index.name)):
            return super().lower_setitem(target, index, value, signature)
        item, kind = self.loadvar(value.name), self.typeof(value.name)
        for wanted in signature.args[2], array.dtype:
            item, kind = self.context.cast(self.builder, item, kind, wanted), wanted
        address, align = self._address(target, index), None if array.aligned else 1
        return self.context.pack_value(self.builder, array.dtype, item, address, align=align)

    def _address(self, array: Numba, index: Numba) -> Numba:
        """The address of one number, where a negative index counts from the end."""
        context, builder, place = self.context, self.builder, self.loadvar(index.name)
        model, whole = context.data_model_manager[self.typeof(array.name)], self.loadvar(array.name)
        lengths, offset, kinds = model.get(builder, whole, "shape"), None, self.typeof(index.name)
        for axis, kind in enumerate(kinds.types if isinstance(kinds, types.BaseTuple) else (kinds,)):
            each = builder.extract_value(place, axis) if isinstance(kinds, types.BaseTuple) else place
            each = context.cast(builder, each, kind, types.intp if kind.signed else types.uintp)
            length = builder.extract_value(lengths, axis)
            if kind.signed and not (isinstance(each, llvm.Constant) and each.constant >= 0):
                is_negative = builder.icmp_signed("<", each, each.type(0))
                each = builder.select(is_negative, builder.add(length, each), each)
            offset = each if offset is None else builder.add(builder.mul(offset, length), each)
        return builder.gep(model.get(builder, whole, "data"), [offset])


_ON_NUMBERS = {add: llvm.IRBuilder.fadd, sub: llvm.IRBuilder.fsub, mul: llvm.IRBuilder.fmul}


def _is_item(array: Numba, index: Numba) -> bool:
    """Whether a number of an array is read or written at a place that integers give."""
    if not isinstance(array, types.Array) or array.layout != "C" or config.BOUNDSCHECK:
        return False
    kinds = index.types if isinstance(index, types.BaseTuple) else (index,)
    return len(kinds) == array.ndim and all(isinstance(kind, types.Integer) for kind in kinds)
