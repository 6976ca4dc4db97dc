from os import PathLike
from typing import Any, Optional, Sequence, Union

import numpy as np
from sklearn.base import BaseEstimator

from . import plots as plots

__version__: str
_Path = Union[str, bytes, "PathLike[str]"]
_Array = np.ndarray

class NumericError(ArithmeticError):
    code: str

class _Told(dict[str, Any]):
    def __getattr__(self, name: str) -> Any: ...

class _Certified(BaseEstimator):
    classes_: _Array
    certificate_: Any
    certificates_: list[Any]
    card_: Optional[Any]
    baseline_: Optional[Any]
    path_: list[Any]
    trace_: list[Any]
    parts_: list[Any]
    converged_: bool
    n_iter_: int
    n_features_in_: int
    feature_names_in_: _Array
    coefficients_: list[Any]
    info_: Any
    @property
    def coef_(self) -> _Array: ...
    @property
    def intercept_(self) -> _Array: ...
    def predict(self, X: Any) -> _Array: ...
    def predict_proba(self, X: Any) -> _Array: ...
    def predict_log_proba(self, X: Any) -> _Array: ...
    def predict_vote(self, X: Any) -> _Array: ...
    def decision_function(self, X: Any) -> _Array: ...
    def score(self, X: Any, y: Any, sample_weight: Any = ...) -> float: ...
    def save(self, path: _Path) -> None: ...

class GibbsiteClassifier(_Certified):
    def __init__(self, loss: str = ..., family: str = ..., features: str = ...,
                 lam: Optional[float] = ..., prior: str = ..., prior_sd: Optional[float] = ...,
                 prior_split: Optional[float] = ..., bound: str = ..., confidence: float = ...,
                 cost: Any = ..., class_weight: Any = ...,
                 joint: bool = ..., scale: str = ..., columns: str = ...,
                 fit_intercept: bool = ..., missing: str = ..., solver: str = ...,
                 max_iter: Optional[int] = ..., tol: Optional[float] = ..., warm_start: bool = ...,
                 looked: Union[str, Sequence[str]] = ..., options: Optional[dict[str, Any]] = ...,
                 n_jobs: Optional[int] = ..., random_state: Any = ..., verbose: bool = ...,
                 max_weight: Optional[float] = ...) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = ...,
            groups: Any = ...) -> "GibbsiteClassifier": ...

class GibbsiteRanker(_Certified):
    def __init__(self, loss: str = ..., family: str = ..., features: str = ...,
                 lam: Optional[float] = ..., prior: str = ..., prior_sd: Optional[float] = ...,
                 prior_split: Optional[float] = ..., bound: str = ..., confidence: float = ...,
                 pairs: Optional[int] = ..., scale: str = ..., columns: str = ...,
                 missing: str = ..., solver: str = ..., max_iter: Optional[int] = ...,
                 tol: Optional[float] = ..., warm_start: bool = ...,
                 looked: Union[str, Sequence[str]] = ..., options: Optional[dict[str, Any]] = ...,
                 n_jobs: Optional[int] = ..., random_state: Any = ...,
                 verbose: bool = ...) -> None: ...
    def fit(self, X: Any, y: Any, **other: Any) -> "GibbsiteRanker": ...

class CertifiedPipeline(_Certified):
    learned_: _Array
    transformers_: list[tuple[str, Any]]
    fitted_: GibbsiteClassifier
    @property
    def named_steps(self) -> dict[str, Any]: ...
    def __init__(self, steps: Optional[list[tuple[str, Any]]] = ...) -> None: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> "CertifiedPipeline": ...
    def fit(self, X: Any, y: Any, sample_weight: Any = ...,
            groups: Any = ...) -> "CertifiedPipeline": ...

class GibbsiteClassifierCV(_Certified):
    best_params_: dict[str, Any]
    best_score_: float
    best_estimator_: Union[GibbsiteClassifier, CertifiedPipeline]
    fitted_: GibbsiteClassifier
    cv_results_: list[dict[str, Any]]
    learned_: _Array
    def __init__(self, estimator: Union[GibbsiteClassifier, CertifiedPipeline, None] = ...,
                 param_grid: Any = ..., cv: Any = ..., scoring: Any = ...,
                 n_jobs: Optional[int] = ...) -> None: ...
    def fit(self, X: Any, y: Any, sample_weight: Any = ...,
            groups: Any = ...) -> "GibbsiteClassifierCV": ...

class GibbsSampler(BaseEstimator):
    classes_: _Array
    log_z_: float
    log_z_sd_: float
    gibbs_risk_: float
    acceptance_: float
    path_: list[Any]
    coefficients_: list[Any]
    info_: Any
    def __init__(self, loss: str = ..., lam: Optional[float] = ..., prior_sd: float = ...,
                 scale: str = ..., fit_intercept: bool = ..., particles: Optional[int] = ...,
                 chains: Optional[int] = ..., moves: Optional[int] = ..., move: str = ...,
                 ess: Optional[float] = ..., options: Optional[dict[str, Any]] = ...,
                 n_jobs: Optional[int] = ..., random_state: Any = ...,
                 verbose: bool = ...) -> None: ...
    @property
    def draws_(self) -> _Array: ...
    def fit(self, X: Any, y: Any) -> "GibbsSampler": ...
    def predict(self, X: Any) -> _Array: ...
    def predict_proba(self, X: Any) -> _Array: ...
    def decision_function(self, X: Any) -> _Array: ...
    def save(self, path: _Path) -> None: ...

class MatrixCompletion(BaseEstimator):
    certificate_: Optional[Any]
    rmse_: float
    effective_rank_: int
    noise_variance_: float
    row_names_: list[str]
    column_names_: list[str]
    components_: list[Any]
    trace_: list[Any]
    info_: Any
    def __init__(self, rank: Optional[int] = ..., model: Optional[str] = ...,
                 positions: Optional[str] = ..., lam: Optional[float] = ...,
                 noise: Optional[float] = ..., prior: Optional[str] = ...,
                 prior_split: Optional[float] = ..., range: Optional[tuple[float, float]] = ...,
                 biases: bool = ..., confidence: float = ..., sampler: Optional[str] = ...,
                 draws: Optional[int] = ..., burn_in: Optional[int] = ...,
                 restarts: Optional[int] = ..., tol: Optional[float] = ...,
                 max_iter: Optional[int] = ..., options: Optional[dict[str, Any]] = ...,
                 n_jobs: Optional[int] = ..., random_state: Any = ...,
                 verbose: bool = ...) -> None: ...
    def fit(self, rows: Any, columns: Any = ..., values: Any = ..., row_features: Any = ...,
            column_features: Any = ...) -> "MatrixCompletion": ...
    def predict(self, rows: Any, columns: Any = ..., return_sd: bool = ...) -> Any: ...
    def quantiles(self, rows: Any, columns: Any = ..., levels: Any = ...) -> _Array: ...
    def top(self, row: Any, k: int = ..., quantile: Optional[float] = ...) -> list[str]: ...
    def score(self, rows: Any, columns: Any = ..., values: Any = ...) -> float: ...
    def save(self, path: _Path) -> None: ...

def load(path: _Path) -> Any: ...
def save(model: Any, path: _Path) -> None: ...
def report(model: Any, path: _Path) -> None: ...
def theory(**options: Any) -> list[Any]: ...
def gap(model: Any, X: Any, y: Any, sample_weight: Any = ..., groups: Any = ...,
        **sampling: Any) -> Any: ...
def simulate(kind: str = ..., rows: Optional[int] = ..., cols: Optional[int] = ...,
             noise: Optional[float] = ..., signal: Optional[int] = ..., shape: str = ...,
             skip: int = ..., random_state: Any = ..., rank: Optional[int] = ...,
             density: Optional[float] = ..., skew: float = ..., biases: bool = ...,
             positions: str = ..., range: Optional[tuple[float, float]] = ...) -> tuple[Any, ...]: ...
