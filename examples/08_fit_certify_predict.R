#!/usr/bin/env Rscript
# The R package: fit, certify, predict, save, load; 05_fit_certify_predict.c in R.
#
#     make r && R_LIBS=build/r/library Rscript examples/08_fit_certify_predict.R
library(gibbsite)

# Rows of known truth: one label in ten is flipped.
simulate <- function(rows) {
    x <- matrix(rnorm(4 * rows), rows, dimnames = list(NULL, paste0("x", 1:4)))
    y <- x %*% c(0.2, 0.5, -0.6, 0.6) > 0
    data.frame(x, y = ifelse(runif(rows) < 0.1, !y, y))
}
set.seed(1)
train <- simulate(1000)
fresh <- simulate(4000)

model <- gibbsite(y ~ ., train, confidence = 0.99)
table <- certificates(model)
first <- ifelse(seq_len(nrow(table)) == 1, "* ", "  ")
cat(sprintf("%s%.4f  %-12s %-11s from %d rows, %s\n", first, table$value, table$target,
            table$method, table$rows, table$status), sep = "")

# A model on disk predicts what the one in memory does.
gibbsite_save(model, "example08.json")
again <- gibbsite_load("example08.json")
invisible(file.remove("example08.json"))
stopifnot(identical(unname(predict(again, fresh, "prob")), unname(predict(model, fresh, "prob"))))

error <- mean(predict(model, fresh) != fresh$y)
cat(sprintf("certified: at most %.4f; on 4000 fresh rows: %.4f\n", table$value[1], error))
if (error <= table$value[1]) cat("the certificate held\n")
