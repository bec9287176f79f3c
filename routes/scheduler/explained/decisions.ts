/**
 * Design choices of the jobs API, by the rules of the refusals that depend on them
 * (behaviour/program#explanations).
 */
export const decisions: Readonly<Record<string, string>> = {
  'body-too-deep': 'scheduler-depth-of-bodies',
  'no-leader': 'agent-no-leader',
  'eval-priority-out-of-range': 'scheduler-eval-priority',
  'filter-beside-parameters': 'cluster-evaluation-parameters',
  'launch-not-tracked': 'force-of-idle-launcher',
  'dispatch-id-space': 'dispatch-refusals',
  'dispatch-priority-out-of-range': 'dispatch-refusals',
  'dispatched-changed': 'registering-over-children',
  'scale-job-mismatch': 'scale-refusals',
  'scale-namespace-mismatch': 'scale-refusals',
  'scale-count-with-error': 'scale-refusals',
  'scale-system': 'scale-refusals',
  'scale-below-minimum': 'scale-refusals',
  'scale-above-maximum': 'scale-refusals',
  'token-life-long': 'job-token-life',
  'token-life-short': 'job-token-life',
  'task-not-running': 'client-requests-refused',
  'stream-impossible': 'client-stream-failures',
}
