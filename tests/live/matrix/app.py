"""The application of all shapes. Queues and results are folders beside this file."""

from pathlib import Path

from celery import Celery

VAR = Path(__file__).parent / "var"
QUEUE = VAR / "queue"
RESULTS = VAR / "results"

app = Celery("matrix", broker="filesystem://", backend=f"file://{RESULTS}")
app.conf.update(
    broker_transport_options={"data_folder_in": str(QUEUE), "data_folder_out": str(QUEUE), "control_folder": str(VAR / "control")},
    task_ignore_result=False,
    task_track_started=False,
    worker_prefetch_multiplier=1,
)
