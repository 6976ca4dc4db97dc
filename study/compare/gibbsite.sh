gibbsite fit train.csv --cost 5:1 --test test.csv --importance --json -o model.json > run.json
gibbsite predict model.json test.csv -o predictions.csv
gibbsite report run.json -o report.html
