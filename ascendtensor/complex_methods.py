"""Functions of complex numbers and of spectra as methods; each calls the function of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from .base import TensorBase
from .ops import spectral
from .ops.pointwise import complex_numbers

if TYPE_CHECKING:
    from typing_extensions import Self

_Bool: TypeAlias = bool  # the tensor class has a method of this name


class ComplexMethods(TensorBase):
    """Functions of complex numbers and of spectra."""

    __slots__ = ()

    @property
    def H(self) -> Self:
        """The conjugate transpose of a matrix; a tensor without dimensions itself. Like: torch.Tensor.H.

        Examples:
            >>> at.tensor([[1 + 2j, 3.0]]).H
            tensor([[1.-2.j],
                    [3.-0.j]], device='npu:0')
        """
        return complex_numbers.conjugate_transpose(self)

    @property
    def mH(self) -> Self:
        """See `adjoint`. Like: torch.Tensor.mH."""
        return complex_numbers.adjoint(self)

    def adjoint(self) -> Self:
        """See `adjoint`."""
        return complex_numbers.adjoint(self)

    def angle(self) -> Self:
        """See `angle`."""
        return complex_numbers.angle(self)

    def conj(self) -> Self:
        """See `conj`."""
        return complex_numbers.conj(self)

    def conj_physical(self) -> Self:
        """See `conj_physical`."""
        return complex_numbers.conj_physical(self)

    def conj_physical_(self) -> Self:
        """`conj_physical`, written into this tensor."""
        return complex_numbers.conj_physical(self, out=self) if self.desc.dtype.is_complex else self

    def is_conj(self) -> _Bool:
        """See `is_conj`."""
        return complex_numbers.is_conj(self)

    def is_neg(self) -> _Bool:
        """See `is_neg`."""
        return complex_numbers.is_neg(self)

    def is_nonzero(self) -> _Bool:
        """See `is_nonzero`."""
        return complex_numbers.is_nonzero(self)

    def isreal(self) -> Self:
        """See `isreal`."""
        return complex_numbers.isreal(self)

    def istft(
        self,
        n_fft: int,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: Self | None = None,
        center: _Bool = True,
        normalized: _Bool = False,
        onesided: _Bool | None = None,
        length: int | None = None,
        return_complex: _Bool = False,
    ) -> Self:
        """See `istft`."""
        return spectral.istft(self, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex)

    def resolve_conj(self) -> Self:
        """See `resolve_conj`."""
        return complex_numbers.resolve_conj(self)

    def resolve_neg(self) -> Self:
        """See `resolve_neg`."""
        return complex_numbers.resolve_neg(self)

    def sgn(self) -> Self:
        """See `sgn`."""
        return complex_numbers.sgn(self)

    def sgn_(self) -> Self:
        """`sgn`, written into this tensor."""
        return complex_numbers.sgn(self, out=self)

    def stft(
        self,
        n_fft: int,
        hop_length: int | None = None,
        win_length: int | None = None,
        window: Self | None = None,
        center: _Bool = True,
        pad_mode: str = "reflect",
        normalized: _Bool = False,
        onesided: _Bool | None = None,
        return_complex: _Bool | None = None,
    ) -> Self:
        """See `stft`."""
        return spectral.stft(self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex)
