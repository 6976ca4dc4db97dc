library(glmnet)
train <- read.csv("train.csv", stringsAsFactors = TRUE)
test <- read.csv("test.csv", stringsAsFactors = TRUE)
both <- rbind(train, test)
x <- model.matrix(y ~ ., both)[, -1]
y <- both$y == 1
n <- nrow(train)
model <- cv.glmnet(x[1:n, ], y[1:n], family = "binomial", alpha = 0)
prob <- predict(model, x[-(1:n), ], s = "lambda.min", type = "response")[, 1]
truth <- y[-(1:n)]
label <- prob >= 1 / (1 + 5)
write.csv(data.frame(label, prob), "predictions.csv", row.names = FALSE)
cat("error", mean(label != truth), "cost", mean(ifelse(truth, 5 * !label, label)), "\n")
cat("Brier", mean((prob - truth)^2), "\n")
print(table(truth, label))
print(assess.glmnet(model, x[-(1:n), ], truth, family = "binomial", s = "lambda.min")$auc)
b <- as.matrix(coef(model, s = "lambda.min"))[-1, ] * apply(x[1:n, ], 2, sd)
print(head(sort(abs(b), decreasing = TRUE), 20))
pdf("report.pdf")
plot(model)
plot(roc.glmnet(model, x[-(1:n), ], truth, s = "lambda.min"), type = "l")
bin <- cut(prob, seq(0, 1, 0.1))
plot(tapply(prob, bin, mean), tapply(truth, bin, mean)); abline(0, 1)
dev.off()
