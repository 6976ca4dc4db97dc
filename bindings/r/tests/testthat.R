library(testthat)
library(gibbsite)

# GIBBSITE_R_TESTS: only files of this name, where the others are run beside the check
wanted <- Sys.getenv("GIBBSITE_R_TESTS")
test_check("gibbsite", filter = if (nzchar(wanted)) wanted)
