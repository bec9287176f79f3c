/** Status with which a policy check ends, before a possible override. */
export type PolicyResult = 'passed' | 'soft_failed' | 'hard_failed' | 'errored'

/** Facts about a run, in addition to its status, that decide which transitions are possible. */
export interface RunConditions {
  /**
   * Whether the run is pending and must wait, because another run is current or another holder has
   * locked the workspace.
   */
  readonly isBlocked: boolean
  readonly isFetching: boolean
  readonly hasBadConfiguration: boolean
  /** Whether the option `runConcurrency` makes the run wait. */
  readonly isAtCapacity: boolean
  /** Whether the run waits for an agent. */
  readonly lacksAgent: boolean
  readonly planFails: boolean
  readonly applyFails: boolean
  /** Whether the plan can never be applied. */
  readonly isPlanOnly: boolean
  readonly savesPlan: boolean
  readonly autoApplies: boolean
  /** Whether the plan has changes, or the run allows an empty apply. */
  readonly hasWork: boolean
  /** Whether the cost estimate is pending. */
  readonly hasPendingEstimate: boolean
  /**
   * Whether the task stage `pre_plan` is pending. The next three members are the same for the
   * stages `post_plan`, `pre_apply` and `post_apply`.
   */
  readonly hasPendingPrePlan: boolean
  readonly hasPendingPostPlan: boolean
  readonly hasPendingPreApply: boolean
  readonly hasPendingPostApply: boolean
  /** State of the current task stage; `running` if the run is in no stage. */
  readonly stageState: 'running' | 'passed' | 'failed' | 'awaiting'
  /** Whether the policy check is pending. */
  readonly hasPendingPolicyCheck: boolean
  /** Result with which the policy check ends. */
  readonly policyResult: PolicyResult
  readonly isCancelRequested: boolean
  /** Whether enough time has passed since the cancel request to end the run by force. */
  readonly mayForceCancel: boolean
}

/**
 * Events of a run. `advance` moves the run to its next status without a request. `stop` ends a plan
 * or an apply after a cancel was requested. `end` is the cancel by a site admin, which is possible
 * in every status that is not final.
 */
export type RunMachineEvent =
  | 'advance'
  | 'confirm'
  | 'discard'
  | 'cancel'
  | 'stop'
  | 'force-cancel'
  | 'override'
  | 'end'
