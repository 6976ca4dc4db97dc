library(testthat)
library(gibbsite)

test_check("gibbsite")
