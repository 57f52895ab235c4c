"""All jobs, by their names on the command line."""

from . import allocations, beauty, chat, compare, conference, congestion, forward, jitter_buffer, latency, layers, loss, neighbors, network, quality, receive, rivals
from . import scale, send, stages, still, flood, thresholds, transcode

JOBS = {
    job.name: job
    for job in [
        send.JOB, receive.JOB, transcode.JOB, beauty.JOB, latency.JOB, scale.JOB, conference.JOB, *stages.JOBS, thresholds.JOB,
        *compare.JOBS, allocations.JOB, *layers.JOBS, quality.JOB, network.JOB, congestion.JOB, neighbors.JOB, rivals.JOB, jitter_buffer.JOB, loss.JOB,
        flood.JOB, forward.JOB, still.JOB, chat.JOB,
    ]
}
