import numpy as np, pandas as pd
import matplotlib; matplotlib.use("Agg")
import matplotlib.pyplot as plt
from sklearn.calibration import CalibrationDisplay
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import RocCurveDisplay, PrecisionRecallDisplay, confusion_matrix, roc_auc_score, brier_score_loss
from sklearn.inspection import permutation_importance
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
X, y = train.drop(columns="y"), train["y"] == 1
Xt, yt = test.drop(columns="y"), test["y"] == 1
model = make_pipeline(
    make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include=np.number)),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include=object))),
    LogisticRegressionCV(max_iter=1000))
model.fit(X, y)
prob = model.predict_proba(Xt)[:, 1]
label = prob >= 1 / (1 + 5)
pd.DataFrame({"label": label, "prob": prob}).to_csv("predictions.csv", index=False)
print("error", np.mean(label != yt), "cost", np.mean(np.where(yt, 5 * ~label, label)))
print("AUC", roc_auc_score(yt, prob), "Brier", brier_score_loss(yt, prob))
print(confusion_matrix(yt, label))
importance = permutation_importance(model, Xt, yt, n_repeats=5, random_state=1)
for k in np.argsort(-importance.importances_mean):
    print(X.columns[k], importance.importances_mean[k], importance.importances_std[k])
fig, axes = plt.subplots(1, 3, figsize=(15, 5))
RocCurveDisplay.from_predictions(yt, prob, ax=axes[0])
PrecisionRecallDisplay.from_predictions(yt, prob, ax=axes[1])
CalibrationDisplay.from_predictions(yt, prob, n_bins=10, ax=axes[2])
fig.savefig("report.png")
