"""bench/binding.c through the package; the same line."""
import resource
import time

from gibbsite import GibbsiteClassifier, simulate

X, y, _ = simulate(rows=100000, cols=50, noise=0.1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
start = time.process_time()
model = GibbsiteClassifier().fit(X, y)
fitted = time.process_time()
took = []
for _ in range(10):
    began = time.process_time()
    model.predict(X)
    took.append(time.process_time() - began)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"fit {fitted - start:.4f} predict {min(took):.4f} peak {peak:.1f} "
      f"certificate {model.certificate_.value!r} before {before:.1f}")
