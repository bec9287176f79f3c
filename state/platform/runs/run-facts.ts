/** End of a check of policies. */
export type PolicyResult = 'passed' | 'soft_failed' | 'hard_failed' | 'errored'

/** Facts about a run that its next status depends on. */
export interface RunFacts {
  /** Whether another run holds the workspace, or somebody has locked it. */
  readonly isBlocked: boolean
  readonly isFetching: boolean
  readonly hasBadConfiguration: boolean
  /** Whether as many runs of the organization are under way as may be. */
  readonly isAtCapacity: boolean
  /** Whether the run waits in the queue for an agent. */
  readonly lacksAgent: boolean
  readonly planFails: boolean
  readonly applyFails: boolean
  /** Whether the plan can never be applied. */
  readonly isPlanOnly: boolean
  readonly savesPlan: boolean
  readonly autoApplies: boolean
  /** Whether the plan has changes, or an apply without changes is allowed. */
  readonly hasWork: boolean
  /** Whether an estimate of the costs is still to come. */
  readonly estimatesCost: boolean
  /** Whether a stage with tasks is still to come before the plan, after the plan, and so on. */
  readonly hasPrePlan: boolean
  readonly hasPostPlan: boolean
  readonly hasPreApply: boolean
  readonly hasPostApply: boolean
  /** State of the stage that the run is in. */
  readonly stage: 'running' | 'passed' | 'failed' | 'awaiting'
  /** Whether a check of policies is still to come, and how it ends. */
  readonly checksPolicies: boolean
  readonly policyResult: PolicyResult
  readonly isCancelAsked: boolean
  /** Whether the time has come at which a run that does not stop can be ended. */
  readonly mayForceCancel: boolean
}

/**
 * Events of a run. `advance` is the next step that a run takes by itself; `end` is how a site admin
 * ends it at once.
 */
export type RunEvent =
  | 'advance'
  | 'confirm'
  | 'discard'
  | 'cancel'
  | 'stop'
  | 'force-cancel'
  | 'override'
  | 'end'
