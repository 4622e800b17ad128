//! Conversion of NumPy arrays.

use std::borrow::Cow;

use carom_engine::Precision;
use numpy::ndarray::{Axis, Dimension};
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyReadonlyArrayDyn,
    PyReadwriteArray,
};
use pyo3::prelude::*;

/// An array (rows, width) over `numbers`, without a copy.
pub fn table<T: Element>(
    py: Python<'_>,
    numbers: Vec<T>,
    width: usize,
    rows: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    PyArray1::from_vec(py, numbers).reshape([rows, width])
}

/// Makes an array read-only.
pub fn fixed<'py, T: Element, D: Dimension>(
    array: Bound<'py, PyArray<T, D>>,
) -> Bound<'py, PyArray<T, D>> {
    let _: PyReadonlyArray<'py, T, D> = PyReadwriteArray::make_nonwriteable(array.readwrite());
    array
}

/// A read-only array of `numbers` with a shape, in the precision of a run.
pub fn reals<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    precision: Precision,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match precision {
        Precision::F32 => {
            let single: Vec<f32> = numbers.into_iter().map(|x| x as f32).collect();
            fixed(PyArray1::from_vec(py, single).reshape(shape)?).into_any()
        }
        Precision::F64 => fixed(PyArray1::from_vec(py, numbers).reshape(shape)?).into_any(),
    })
}

/// An array over states. A first axis of stride 0 is shared data, and becomes a single entry.
pub fn entries<'a, D: Dimension>(
    array: &'a PyReadonlyArray<'_, f64, D>,
) -> carom_core::problem::Array<'a> {
    let all = array.as_array().into_dyn();
    let shared = all.ndim() > 0 && all.len_of(Axis(0)) > 1 && all.strides()[0] == 0;
    let view = if shared { all.index_axis_move(Axis(0), 0) } else { all };
    let numbers = match view.to_slice() {
        Some(numbers) => Cow::Borrowed(numbers),
        None => Cow::Owned(view.iter().copied().collect()),
    };
    carom_core::problem::Array { shape: view.shape().to_vec(), numbers }
}

/// The booleans of an array, with their shape.
pub fn truths<'a, D: Dimension>(
    array: &'a PyReadonlyArray<'_, bool, D>,
) -> (Vec<usize>, Cow<'a, [bool]>) {
    let view = array.as_array();
    let shape = view.shape().to_vec();
    let truths = match view.to_slice() {
        Some(truths) => Cow::Borrowed(truths),
        None => Cow::Owned(view.iter().copied().collect()),
    };
    (shape, truths)
}

/// The numbers of an array in single or double precision, row by row.
pub fn numbers(array: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if let Ok(double) = array.extract::<PyReadonlyArrayDyn<'_, f64>>() {
        return Ok(double.as_array().iter().copied().collect());
    }
    let single = array.extract::<PyReadonlyArrayDyn<'_, f32>>()?;
    Ok(single.as_array().iter().copied().map(f64::from).collect())
}
