# Charts of a fitted model, in base graphics.

plot.gibbsite <- function(x, which = c("coefficients", "reliability", "certificate", "path"), ...) {
    if (missing(which)) which <- if (is.null(x$info$card$reliability)) "coefficients" else
        c("coefficients", "reliability")
    which <- match.arg(which, several.ok = TRUE)
    if (length(which) > 1) {
        before <- par(mfrow = rev(grDevices::n2mfrow(length(which))))
        on.exit(par(before))
    }
    for (one in which)
        switch(one, coefficients = plot_coefficients(x, ...),
               reliability = plot_reliability(x, ...), certificate = plot_certificate(x, ...),
               path = plot_path(x, ...))
    invisible(x)
}

# The largest twenty, with two standard deviations of the posterior each side.
plot_coefficients <- function(x, ...) {
    table <- coefficient_table(x)
    table <- table[utils::head(order(-abs(table[, "mean"])), 20), , drop = FALSE]
    table <- table[rev(seq_len(nrow(table))), , drop = FALSE]
    low <- table[, "mean"] - 2 * table[, "sd"]
    high <- table[, "mean"] + 2 * table[, "sd"]
    dotchart(table[, "mean"], labels = rownames(table), xlim = range(low, high, 0), pch = 19,
             xlab = "posterior mean, 2 sd", main = "Coefficients of scaled columns", ...)
    segments(low, seq_len(nrow(table)), high, seq_len(nrow(table)))
    abline(v = 0, lty = 3)
}

plot_reliability <- function(x, ...) {
    told <- x$info$card$reliability
    if (is.null(told)) refuse("reliability is drawn of tested classifiers of two classes")
    told <- Filter(function(k) k$count > 0, told)
    said <- vapply(told, function(k) as.double(k$mean_prob), 0)
    was <- vapply(told, function(k) as.double(k$share_positive), 0)
    size <- vapply(told, function(k) as.double(k$count), 0)
    plot(said, was, xlim = 0:1, ylim = 0:1, pch = 19, cex = 0.5 + 2 * sqrt(size / max(size)),
         xlab = paste("probability of", x$labels$classes[2]), ylab = "share of fresh rows",
         main = "Reliability", ...)
    abline(0, 1, lty = 3)
}

plot_certificate <- function(x, ...) {
    k <- certificate(x)
    parts <- c("on fresh rows" = k$empirical, certified = k$value,
               baseline = x$info$baseline$error)
    at <- barplot(parts, ylim = c(0, max(parts, 0.5)), ylab = "risk",
                  main = paste0("Certificate (", k$status, ")"), ...)
    text(at, parts, sprintf("%.4f", parts), pos = 1)
}

plot_path <- function(x, ...) {
    told <- x$info$path
    if (!length(told)) refuse("a model of several classes has no one path")
    lambda <- vapply(told, function(k) as.double(k$lambda), 0)
    risk <- vapply(told, function(k) as.double(k$gibbs_risk), 0)
    plot(lambda, risk, type = "b", pch = 19, log = "x", xlab = "lambda",
         ylab = "risk of the posterior", main = "Path", ...)
}
