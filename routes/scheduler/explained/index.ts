import type { SchedulerCaller } from '../../../state/scheduler/acl/callers.ts'
import { type AclToken, aclTokens } from '../../../state/scheduler/acl/tables.ts'
import { optionsOf } from '../../../state/scheduler/options.ts'
import { diagnoseWaitParameter, waitRules } from '../../http/blocking/wait-parameters.ts'
import {
  type ApiExplanations,
  type Diagnosis,
  type ExplainedRequest,
  type OperationAddress,
  takesBody,
} from '../../http/journal-hooks/api-explanations.ts'
import {
  diagnoseMissingToken,
  diagnosePastToken,
  diagnoseUnknownToken,
  findDeletedToken,
} from '../../http/journal-hooks/unexpected-token.ts'
import type { SchedulerDialect } from '../dialect.ts'
import { schedulerCoverage } from '../documents.ts'
import type { SchedulerOperation } from '../operation.ts'
import { explainAbsence } from './absent.ts'
import {
  explainAclsOff,
  explainBody,
  explainBootstrapped,
  explainIndexConflict,
  explainJobMismatch,
  explainMissingJob,
  explainNoLeader,
  explainRegion,
} from './requests.ts'

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

const spec = 'behaviour/scheduler#auth'

/** Explains which right the caller lacks. */
function permissionDenied(request: ExplainedRequest, header: string): Diagnosis | undefined {
  const { token: secret } = request
  // Only this API sets the operation and the caller of its requests.
  const operation = request.operation as SchedulerOperation | undefined
  const caller = request.caller as SchedulerCaller | undefined
  if (secret === undefined) return { ...diagnoseMissingToken(request, 'scheduler', header), spec }
  if (caller === undefined) return { ...explainToken(request, secret), spec }
  const right = operation?.access
  if (right === undefined || right === 'anyone') return undefined
  const rights = [...right.anyOf, ...(right.also === undefined ? [] : [right.also])]
  const namespace = [request.query['namespace']].flat()[0] ?? 'default'
  const where = rights.some((each) => each.startsWith('namespace:'))
    ? ` in the namespace ${namespace}`
    : ''
  const name = caller.token?.Name
  const heldPolicies =
    caller.policies.length === 0 ? 'no policies' : `the policies ${caller.policies.join(', ')}`
  return {
    because: `the token ${name === undefined || name === '' ? '' : `${name} `}lacks ${rights.join(' or ')}${where}: it has ${heldPolicies}`,
    change: `Give one of its policies ${rights.join(' or ')}${where}, or use a management token`,
    spec,
  }
}

/** Explains why a token was refused, from the state and the changes of earlier requests. */
function explainToken(request: ExplainedRequest, secret: string): Diagnosis {
  const table = request.world.table(aclTokens)
  const storedToken = table.index('bySecret').get(secret)
  const { row = storedToken, deletedBy } =
    storedToken === undefined
      ? findDeletedToken<AclToken>(
          request,
          'scheduler.acl-tokens',
          ({ SecretID }) => SecretID === secret,
        )
      : {}
  if (row === undefined) return diagnoseUnknownToken(table.get(secret) !== undefined)
  const past = deletedBy === undefined ? { expiredAt: String(row.ExpirationTime) } : { deletedBy }
  return diagnosePastToken(row.Name, past)
}

const isUnderAcls = ({ world }: ExplainedRequest): boolean => optionsOf(world).aclEnabled

/**
 * Checks before the operation. The list serves only explanations: the caller, its rights
 * and the body are resolved lazily inside the operation, so no list of functions runs them.
 */
const checks: ApiExplanations['checks'] = [
  { name: 'route', rules: ['unknown-path', 'method-not-allowed', 'wrong-api'] },
  { name: 'leader', rules: ['no-leader'] },
  { name: 'region', rules: ['region-unknown'] },
  {
    name: 'query',
    rules: [
      'stale-no-bool',
      'per-page-no-number',
      'parameter-no-bool',
      'parameter-no-uint',
      ...waitRules,
    ],
  },
  {
    name: 'token',
    rules: [
      'acls-disabled',
      'token-missing',
      'token-scheme-wrong',
      'token-in-wrong-header',
      'token-is-accessor',
      'token-unknown',
      'token-revoked',
      'token-expired',
    ],
    applies: isUnderAcls,
  },
  { name: 'access', rules: ['permission-denied'], applies: isUnderAcls },
  {
    name: 'body',
    rules: ['body-empty', 'body-mistyped', 'body-unreadable', 'body-too-deep'],
    applies: takesBody,
  },
]

/** Returns the operations' addresses. The first parameter of a path may contain slashes. */
function addresses(): readonly OperationAddress[] {
  return schedulerCoverage().operations.map(({ id, verb, path }) => ({
    operation: id,
    method: verb,
    path: path.replace(/:(\w+)/, '*$1'),
  }))
}

/** Explanations by the rule of the refusal. */
const diagnoses: Readonly<Record<string, (request: ExplainedRequest) => Diagnosis | undefined>> = {
  'index-conflict': explainIndexConflict,
  'index-job-absent': explainIndexConflict,
  'index-job-exists': explainIndexConflict,
  'job-missing': explainMissingJob,
  'job-id-mismatch': explainJobMismatch,
  'job-id-not-name': explainJobMismatch,
  'named-job-mismatch': explainJobMismatch,
  'region-unknown': explainRegion,
  'no-leader': explainNoLeader,
  'acls-disabled': explainAclsOff,
  'bootstrap-done': explainBootstrapped,
  'body-empty': explainBody,
  'body-mistyped': explainBody,
  'not-json': explainBody,
  'wait-unreadable': diagnoseWaitParameter,
  'index-unreadable': diagnoseWaitParameter,
}

/** Returns the explanations of the jobs API's refusals (behaviour/program#explanations). */
export function explanationsIn({ isVendor }: SchedulerDialect): ApiExplanations {
  const header = isVendor ? 'X-Nomad-Token' : 'X-Sched-Token'
  return {
    checks,
    spec: 'behaviour/scheduler#conventions',
    decisions,
    addresses,
    diagnose: (request) =>
      request.rule === 'permission-denied'
        ? permissionDenied(request, header)
        : (diagnoses[request.rule]?.(request) ?? explainAbsence(request)),
  }
}
