# Certificates: what they say, all of them, in words.

certificate <- function(object, ...) UseMethod("certificate")

certificates <- function(object, ...) UseMethod("certificates")

certificate.default <- function(object, ...) {
    told <- object$info$certificate
    if (is.null(told)) refuse("there is no certificate", "data")
    structure(told, class = "gibbsite_certificate")
}

certificates.default <- function(object, ...) {
    told <- object$info$certificates
    if (is.null(told)) refuse("there are no certificates", "data")
    one <- function(name, empty) {
        vapply(told, function(k) if (is.null(k[[name]])) empty else k[[name]], empty)
    }
    data.frame(target = one("target", ""), loss = one("loss", ""), method = one("method", ""),
               value = one("value", NA_real_), confidence = one("confidence", NA_real_),
               rows = as.integer(vapply(told, function(k) as.double(k$rows), 0)),
               empirical = one("empirical", NA_real_), status = one("status", ""),
               stringsAsFactors = FALSE)
}

# What an upper bound is shown as: the least number of so many decimals not below it.
round_up <- function(bound, decimals) ceiling(bound * 10^decimals - 1e-9) / 10^decimals

# The same of so many significant digits.
signif_up <- function(bound, digits) {
    if (bound > 0) round_up(bound, digits - 1 - floor(log10(bound))) else bound
}

# "wrong in at most 14.03 % of all cases", by target.
certified_words <- function(k) {
    percent <- sprintf("%.2f %%", 100 * round_up(k$value, 4))
    target <- sub(":.*", "", k$target)
    auc <- identical(k$risk, "1-auc") || target == "auc"
    if (!is.null(k$rmse))
        return(sprintf("the root mean squared error of %s is at most %.4g",
                       if (target == "rmse") "the predictions" else "one draw of the posterior",
                       signif_up(k$rmse, 4)))
    if (auc) return(sprintf("the score that predict() gives has an AUC of at least %.4f",
                            -round_up(k$value - 1, 4)))
    switch(target,
           vote = paste("the labels that predict() gives are wrong in at most", percent,
                        "of all cases"),
           gibbs = paste("one classifier drawn from the posterior errs in at most", percent,
                         "of all cases"),
           mixture = paste("one classifier drawn from the mixture errs in at most", percent,
                           "of all cases"),
           weighted = paste("the labels that predict() gives are wrong in at most", percent,
                            "of all cases, each counted by its weight"),
           recall = paste0("rows of ", sub("^recall:", "", k$target), " are missed in at most ",
                           percent, " of all cases"),
           sprintf("the risk of %s is at most %.4g", k$target, signif_up(k$value, 4)))
}

format.gibbsite_certificate <- function(x, ...) {
    fresh <- if (identical(x$method, "binomial") && identical(sub(":.*", "", x$target), "vote"))
        sprintf(" (%.0f of %.0f fresh rows were)", x$empirical * x$rows, x$rows) else ""
    status <- if (is.null(x$status)) "" else paste0(": ", x$status)
    middle <- if (is.null(x$middle_rmse)) "" else
        sprintf(" (always saying the middle: %.4g)", signif_up(x$middle_rmse, 4))
    strwrap(paste0("With confidence ", format(x$confidence), ", ", certified_words(x), status,
                   fresh, middle), 80)
}

print.gibbsite_certificate <- function(x, ...) {
    writeLines(format(x))
    if (length(x$assumptions)) {
        writeLines("It assumes that")
        for (text in x$assumptions) writeLines(strwrap(text, 76, prefix = "  ", initial = "- "))
    }
    invisible(x)
}
