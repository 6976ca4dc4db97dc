"""Parameters of estimators as options of the library: the one table is the library's."""
import functools
import inspect
import numbers
import os

import numpy as np

from . import _native
from ._errors import argument

# Parameters that Python or scikit-learn spell otherwise.
SPELLED = {"lam": "lambda", "lam_grid": "lambda-grid"}
# Types of options, as gbs_option_type numbers them.
FLAG, NUMBERS = 0, {2: float, 3: int}


def option_name(parameter):
    return SPELLED.get(parameter, parameter.replace("_", "-"))


class Standard:
    """The defaults of a command, from the library's table: `Standard("fit").prior_sd`."""

    def __init__(self, command):
        self._line = {line[0]: line for line in _native.options(command)}

    def __getattr__(self, parameter):
        try:
            _, kind, text = self._line[option_name(parameter)][:3]
        except KeyError:
            raise AttributeError(parameter) from None
        if kind == FLAG:
            return False
        return text if text is None or kind not in NUMBERS else NUMBERS[kind](text)


def option_text(value):
    """The text of a value as gbs_options_set takes it; None is a flag that is set."""
    if value is True or (isinstance(value, np.bool_) and value):
        return None
    if isinstance(value, (tuple, list, np.ndarray)):
        return ":".join(option_text(item) for item in value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return str(value)


@functools.lru_cache(maxsize=None)
def defaults_of(kind):
    """The parameters of a class of estimators, and what they are where nobody says so."""
    return {name: told.default for name, told in inspect.signature(kind.__init__).parameters.items()
            if told.default is not told.empty}


def _check_agreement(parameters, more, standards):
    """The parameter `options` must not say of an option another thing than the parameter of that
    name, where somebody set it."""
    own = {option_name(name): name for name in parameters}
    for name, value in more.items():
        parameter = own.get(option_name(name))
        said = parameters.get(parameter)
        if parameter is None or said is None or said is False or \
                said == standards.get(parameter, said) or option_text(said) == option_text(value):
            continue
        raise argument(f"options: {name!r} is {value!r}, and the parameter {parameter} is "
                       f"{said!r}; give one of them")


def options_of(parameters, more=None, own=(), kind=None):
    """Those that are not None or False, by the library's names. `more`, the parameter `options` of
    an estimator of this kind, has names of either kind, but for those of the package's `own`, which
    are said otherwise."""
    if more is not None and not hasattr(more, "items"):
        raise argument(f"options must be a dict of names and values, not {more!r}")
    for name in more or {}:
        if option_name(name) in own:
            raise argument(f"options: {name!r} is not set here; see the parameters of the "
                           "estimator and of fit")
    _check_agreement(parameters, more or {}, defaults_of(kind) if kind is not None else {})
    chosen = {**parameters, **(more or {})}
    return {option_name(name): option_text(value) for name, value in chosen.items()
            if value is not None and value is not False}


def is_range(ends):
    """Two numbers, the first below the second?"""
    try:
        low, high = map(float, ends)
    except (TypeError, ValueError):
        return False
    return bool(np.isfinite([low, high]).all()) and low < high


def seed_of(random_state):
    """None is the seed 1, as on the command line: the same call gives the same model."""
    if random_state is None:
        return 1
    if isinstance(random_state, numbers.Integral):
        if not 0 <= random_state < 2**64:
            raise argument(f"random_state must be from 0 to 2**64 - 1, not {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise argument(f"random_state must be None, a number or a generator, not {random_state!r}")


def threads_of(n_jobs):
    """As scikit-learn reads it: None is one, -1 all that the process may use."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral):
        raise argument(f"n_jobs must be None or a whole number, not {n_jobs!r}")
    if n_jobs < 0:
        try:
            cpus = len(os.sched_getaffinity(0))
        except AttributeError:
            cpus = os.cpu_count() or 1
        return max(1, cpus + 1 + n_jobs)
    if n_jobs == 0:
        raise argument("n_jobs must not be 0")
    return int(n_jobs)


def progress_of(verbose):
    """A callable for the library, and how to end it; tqdm where it is there."""
    if not verbose:
        return None, lambda: None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None, lambda: None
    bar = tqdm(total=100, unit="%", leave=False)

    def told(stage, done):
        bar.set_description(stage)
        bar.n = round(100 * done)
        bar.refresh()
    return told, bar.close
