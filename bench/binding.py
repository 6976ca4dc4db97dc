"""bench/binding.c through the package; the same line."""
import resource
import time

from gibbsite import GibbsiteClassifier, simulate

X, y, _ = simulate(rows=100000, cols=50, noise=0.1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
start = time.process_time()
model = GibbsiteClassifier().fit(X, y)
fitted = time.process_time()
model.predict(X)
predicted = time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"fit {fitted - start:.4f} predict {predicted - fitted:.4f} peak {peak:.1f} "
      f"certificate {model.certificate_.value!r} before {before:.1f}")
