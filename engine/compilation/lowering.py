"""How functions are written in LLVM's intermediate code: as numba does it, without what kernels do not need.

Kernels hold no references, and hardly any raises an exception. numba nevertheless keeps each variable in memory and clears it for a
reference that may be in it, asks after each call whether the function has raised, and copies an array to memory for each of its items that
is read. LLVM removes all of that, but most of the time to compile a function goes into writing, reading and removing it: an item of an
array took 49 instructions and takes 12, a call took 26 besides its arguments and takes 3.
"""

import re
from functools import partial
from inspect import Parameter
from operator import add, mul, sub

from numba.core import config
from numba.core import types as numba_types
from numba.core.cgutils import get_or_insert_function
from numba.core.cgutils import ir as llvm
from numba.core.errors import LoweringError, new_error_context  # type: ignore[attr-defined]
from numba.core.imputils import user_function
from numba.core.ir import UNDEFINED, Assign, Del, FreeVar, Global
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


def result_of_built_in(function: Numba, arguments: Numba) -> Numba:
    """The type that `int`, `min` or `max` of numbers returns; None for all for which numba shall compile a function of its own."""
    key = getattr(function, "typing_key", None)
    if key is int and len(arguments) == 1 and isinstance(arguments[0], types.Integer | types.Float | types.Boolean):
        return arguments[0] if isinstance(arguments[0], types.Integer) else types.intp
    if key in (min, max) and arguments in ((types.int64,) * 2, (types.float64,) * 2):
        return arguments[0]
    return None


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
        signature, function = (
            self.fndesc.calltypes[expression],
            self.context.typing_context.resolve_value_type(operator),
        )
        has_static_part = not (expression.static_lhs is expression.static_rhs is UNDEFINED)
        if has_static_part or not isinstance(function, types.Function):
            return super().lower_binop(kind, expression, operator)
        pair = [
            self.context.cast(self.builder, self.loadvar(each.name), self.typeof(each.name), wanted)
            for each, wanted in zip((expression.lhs, expression.rhs), signature.args, strict=True)
        ]
        if operator in _ON_NUMBERS and (*signature.args, signature.return_type) == (types.float64,) * 3:
            result = _ON_NUMBERS[operator](self.builder, *pair)
        else:
            # found for these arguments with the types of variables, unless it stands for an operation in place
            if signature.args not in function._impl_keys:
                function.get_call_type(self.context.typing_context, signature.args, {})
            result = self.context.get_function(function, signature)(self.builder, pair)
        return self.context.cast(self.builder, result, signature.return_type, kind)

    def lower_call(self, kind: Numba, expression: Numba) -> Numba:
        function, signature = self.typeof(expression.func.name), self.fndesc.calltypes[expression]
        is_usual = isinstance(function, types.Dispatcher | types.Function) and expression.target is None
        if not is_usual or isinstance(signature.return_type, types.Phantom):
            return super().lower_call(kind, expression)
        values = self.fold_call_args(function, signature, expression.args, expression.vararg, expression.kws)
        if result_of_built_in(function, signature.args) is not None:
            result = self._built_in(function.typing_key, signature, *values)
        else:
            result = self.context.get_function(function, signature)(self.builder, values, self.loc)
        return self.context.cast(self.builder, result, signature.return_type, kind)

    def fold_call_args(self, function: Numba, signature: Numba, given: Numba, rest: Numba, named: Numba) -> list[Numba]:
        parameters = signature.pysig.parameters.values() if signature.pysig is not None else signature.args
        takes_more = any(getattr(each, "kind", None) is Parameter.VAR_POSITIONAL for each in parameters)
        if rest or named or takes_more or len(given) != len(parameters):
            values: list[Numba] = super().fold_call_args(function, signature, given, rest, named)
            return values
        return [self._cast_var(each, kind) for each, kind in zip(given, signature.args, strict=True)]

    def _built_in(self, function: Numba, signature: Numba, first: Numba, second: Numba = None) -> Numba:
        kind = signature.args[0]
        if function is int:
            return self.context.cast(self.builder, first, kind, signature.return_type)
        compare = self.builder.icmp_signed if isinstance(kind, types.Integer) else self.builder.fcmp_ordered
        return self.builder.select(compare("<" if function is min else ">", second, first), second, first)

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
