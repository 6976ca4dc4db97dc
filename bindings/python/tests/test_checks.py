"""scikit-learn's own checks of estimators."""
import os
import warnings

import pytest
from sklearn.utils.estimator_checks import check_estimator

from gibbsite import GibbsiteClassifier, GibbsSampler

SEEDS = range(int(os.environ.get("GIBBSITE_PYTHON_SEEDS", "3")))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_classifier_passes_the_checks(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(GibbsiteClassifier(random_state=seed))


def test_a_classifier_that_starts_from_the_fit_before_passes_the_checks():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(GibbsiteClassifier(loss="hinge", warm_start=True))


def test_a_classifier_without_intercept_passes_the_checks():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(GibbsiteClassifier(loss="hinge", fit_intercept=False, joint=True))


def test_a_sampler_passes_the_checks():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(GibbsSampler(particles=33))  # odd: no ties
