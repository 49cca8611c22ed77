"""torchmetrics: classification, regression, collections, updates over batches."""

import torch
import torchmetrics as tm

torch.manual_seed(0)
four = {"task": "multiclass", "num_classes": 4}
both = tm.MetricCollection(
    {
        "accuracy": tm.Accuracy(**four),
        "f1": tm.F1Score(**four, average="macro"),
        "auroc": tm.AUROC(**four),
        "matrix": tm.ConfusionMatrix(**four),
        "kappa": tm.CohenKappa(**four),
        "precision": tm.AveragePrecision(**four),
        "calibration": tm.CalibrationError(**four),
    }
)
for _ in range(3):
    both.update(torch.randn(20, 4).softmax(1), torch.randint(0, 4, (20,)))
for name, value in both.compute().items():
    print(name, [round(v, 4) for v in value.float().flatten().tolist()])
both.reset()
for metric in (
    tm.MeanSquaredError(),
    tm.R2Score(),
    tm.PearsonCorrCoef(),
    tm.SpearmanCorrCoef(),
    tm.ExplainedVariance(),
    tm.MeanAbsolutePercentageError(),
    tm.KendallRankCorrCoef(),
):
    for _ in range(2):
        wanted = torch.randn(30)
        metric.update(wanted + torch.randn(30) / 2, wanted)
    print(type(metric).__name__, f"{metric.compute().item():.4f}")
ssim = tm.image.StructuralSimilarityIndexMeasure(data_range=1.0)
print(f"{ssim(torch.rand(2, 3, 16, 16), torch.rand(2, 3, 16, 16)).item():.4f}")
print(f"{tm.image.PeakSignalNoiseRatio(data_range=1.0)(torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8)).item():.4f}")
print(f"{tm.text.Perplexity()(torch.randn(2, 8, 5), torch.randint(0, 5, (2, 8))).item():.4f}")
average = tm.MeanMetric()
for i in range(5):
    average(torch.tensor(float(i)), weight=i)
print(average.compute().item(), tm.functional.pairwise_cosine_similarity(torch.eye(2)).tolist())
