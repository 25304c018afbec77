using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Example.Jobs
{
    public enum Priority { Low, Normal, High }

    public interface IJob
    {
        string Name { get; }
        Task RunAsync(CancellationToken token);
    }

    /// <summary>Runs jobs, the urgent ones first.</summary>
    public sealed class Scheduler : IDisposable
    {
        private const int MaxParallel = 4;
        private readonly PriorityQueue<IJob, Priority> _jobs = new();
        private readonly SemaphoreSlim _slots = new(MaxParallel);

        public int Count => _jobs.Count;

        public event EventHandler<string> Failed;

        public void Enqueue(IJob job, Priority priority = Priority.Normal)
        {
            lock (_jobs)
            {
                _jobs.Enqueue(job, Priority.High - priority);
            }
        }

        /// <summary>Ends when all jobs have run or the token is cancelled.</summary>
        public async Task RunAllAsync(CancellationToken token)
        {
            var running = new List<Task>();
            while (TryDequeue(out var job))
            {
                await _slots.WaitAsync(token);
                running.Add(Task.Run(async () =>
                {
                    try
                    {
                        await job.RunAsync(token);
                    }
                    catch (Exception error)
                    {
                        Failed?.Invoke(this, $"{job.Name}: {error.Message}");
                    }
                    finally
                    {
                        _slots.Release();
                    }
                }, token));
            }
            await Task.WhenAll(running);
        }

        private bool TryDequeue(out IJob job)
        {
            lock (_jobs)
            {
                return _jobs.TryDequeue(out job, out _);
            }
        }

        public void Dispose() => _slots.Dispose();
    }
}
