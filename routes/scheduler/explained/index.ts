import { memoize } from '../../../state/kernel/memoize.ts'
import { renderMessage } from '../../../state/kernel/message.ts'
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
import { correctionIn } from './corrections.ts'

/**
 * Explains that the job's `JobModifyIndex` is not the one in the request: the job has another
 * index, does not exist, or exists although the request requires a new job.
 */
function explainIndexConflict({ refusal, rule, query }: ExplainedRequest): Diagnosis | undefined {
  const { index, current } = { index: '', current: '', ...refusal?.params }
  const spec = 'behaviour/scheduler#jobs'
  if (rule === 'index-job-absent') {
    return {
      because: `the request enforces JobModifyIndex ${index}, but the job does not exist; a new job needs JobModifyIndex 0`,
      change: 'Send JobModifyIndex 0',
      request: { body: (body) => ({ ...Object(body), JobModifyIndex: 0 }) },
      spec,
    }
  }
  if (rule === 'index-job-exists') {
    return {
      because:
        'the request enforces JobModifyIndex 0, which is for new jobs, but the job already exists',
      change: 'Send the current JobModifyIndex of the job, or omit EnforceIndex',
      request: { body: (body) => ({ ...Object(body), EnforceIndex: false }) },
      spec,
    }
  }
  if (current === '' || query['cas'] !== undefined) return undefined
  return {
    because: `the request enforces JobModifyIndex ${index}, but the current JobModifyIndex of the job is ${current}`,
    change: `Send JobModifyIndex ${current}`,
    request: { body: (body) => ({ ...Object(body), JobModifyIndex: Number(current) }) },
    spec,
  }
}

/** Explains that the body has no member `Job`, or that the body is itself the job. */
function explainMissingJob({ body }: ExplainedRequest): Diagnosis {
  const isJob = typeof body === 'object' && body !== null && ('ID' in body || 'TaskGroups' in body)
  const spec = 'behaviour/scheduler#jobs'
  if (!isJob) {
    return { because: 'the body has no member "Job"', change: 'Send {"Job": {…}}', spec }
  }
  return {
    because: 'the job is at the top level of the body, but must be in its member "Job"',
    change: 'Wrap the job: {"Job": {…}}',
    request: { body: (body) => ({ Job: body }) },
    spec,
  }
}

function explainJobMismatch({ body, path }: ExplainedRequest): Diagnosis {
  const job = Object(Object(body)['Job'])
  const id = job['ID'] ?? Object(body)['JobID']
  const pathId = decodeURIComponent(path.split('/')[3] ?? '')
  const hasJobMember = Object(body)['Job'] !== undefined
  return {
    because: `the path names the job ${pathId}, but the body names ${JSON.stringify(id ?? null)}`,
    change: `Send ${pathId} in the body as well`,
    request: {
      body: (body) =>
        hasJobMember
          ? { ...Object(body), Job: { ...Object(Object(body)['Job']), ID: pathId } }
          : { ...Object(body), JobID: pathId },
    },
    spec: 'behaviour/scheduler#jobs',
  }
}

function explainRegion({ world, query }: ExplainedRequest): Diagnosis {
  const { region } = optionsOf(world)
  return {
    because: `the request is for the region ${[query['region']].flat()[0]}, but the only region is ${region}`,
    change: `Send ?region=${region}, or omit it`,
    request: { query: { region: undefined } },
    spec: 'behaviour/scheduler#conventions',
  }
}

function explainNoLeader({ method }: ExplainedRequest): Diagnosis {
  return {
    because: 'the cluster has no leader (option noLeader), and the request needs one',
    change:
      method === 'GET' ? 'Send ?stale, or wait for a leader' : 'Wait for a leader: unset noLeader',
    ...(method === 'GET' ? { request: { query: { stale: '' } } } : {}),
    spec: 'behaviour/scheduler#agent',
  }
}

/** Explains a query parameter that cannot be parsed. */
function explainParameter({ refusal, rule }: ExplainedRequest): Diagnosis | undefined {
  if (refusal === undefined) return undefined
  const name = rule === 'stale-no-bool' ? 'stale' : 'per_page'
  return {
    because: renderMessage(refusal.reason),
    change: `Send a valid ?${name}, or omit it`,
    request: { query: { [name]: undefined } },
    spec: 'behaviour/scheduler#conventions',
  }
}

function explainAclsOff(): Diagnosis {
  return {
    because: 'ACLs are disabled, so all requests to ACL paths are refused',
    change: 'Start with --acl, or set the option scheduler.aclEnabled',
    spec: 'behaviour/scheduler#beyond',
  }
}

function explainBootstrapped({ refusal }: ExplainedRequest): Diagnosis {
  return {
    because: `the ACL system is already bootstrapped, and it can be bootstrapped only once (reset index ${refusal?.params['index'] ?? ''})`,
    change: 'Use the existing management token',
    spec: 'behaviour/scheduler#beyond',
  }
}

/** Explains that the body is missing, is not JSON, or contains a value of the wrong type. */
function explainBody({ rule, refusal, body }: ExplainedRequest): Diagnosis | undefined {
  const spec = 'behaviour/scheduler#bodies'
  if (rule === 'body-empty') {
    return { because: 'the request has no body', change: 'Send JSON', spec }
  }
  if (refusal === undefined) return undefined
  if (rule === 'body-mistyped') {
    const { value, type } = refusal.params
    return {
      because: `${renderMessage(refusal.reason)}: the body has a ${value} where ${type} is expected`,
      change: `Send a value of the type ${type}`,
      spec,
    }
  }
  if (typeof body !== 'string') return undefined
  return {
    rule: 'body-unreadable',
    because: `the body is not JSON: ${renderMessage(refusal.reason)}`,
    change: 'Send JSON',
    spec,
  }
}

/**
 * Design choices of the jobs API, by the rules of the refusals that depend on them
 * (behaviour/program#explanations).
 */
export const choicesByRule: Readonly<Record<string, string>> = {
  'body-too-deep': 'scheduler-depth-of-bodies',
  'no-leader': 'agent-no-leader',
  'eval-priority-out-of-range': 'scheduler-eval-priority',
  'filter-beside-parameters': 'cluster-evaluation-parameters',
  'launch-not-tracked': 'force-of-idle-launcher',
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

const tokenSpec = 'behaviour/scheduler#auth'

/** Explains a missing right, or a missing or refused token. */
function explainPermissionDenied(request: ExplainedRequest, header: string): Diagnosis | undefined {
  const { token: secret } = request
  // The casts are safe: only this API sets the operations and callers of its requests.
  const operation = request.operation as SchedulerOperation | undefined
  const caller = request.caller as SchedulerCaller | undefined
  if (secret === undefined)
    return { ...diagnoseMissingToken(request, 'scheduler', header), spec: tokenSpec }
  if (caller === undefined) return { ...explainToken(request, secret), spec: tokenSpec }
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
    change: `Add ${rights.join(' or ')}${where} to one of the token's policies, or use a management token`,
    spec: tokenSpec,
  }
}

/**
 * Explains why a token was refused, based on the stored tokens and on the changes that earlier
 * requests made.
 */
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
  const tokenEnd =
    deletedBy === undefined ? { expiredAt: String(row.ExpirationTime) } : { deletedBy }
  return diagnosePastToken(row.Name, tokenEnd)
}

const isUnderAcls = ({ world }: ExplainedRequest): boolean => optionsOf(world).aclEnabled

/**
 * Checks that run before an operation, in their order. Only explanations use this list: operations
 * resolve the caller, the rights and the body lazily, so the checks cannot run as a list of
 * functions.
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

/** Addresses of the operations. The first parameter of a path may contain slashes. */
const addresses = memoize((): readonly OperationAddress[] =>
  schedulerCoverage().operations.map(({ id, verb, path }) => ({
    operation: id,
    method: verb,
    path: path.replace(/:(\w+)/, '*$1'),
  })),
)

const diagnoses: Readonly<Record<string, (request: ExplainedRequest) => Diagnosis | undefined>> = {
  'index-conflict': explainIndexConflict,
  'index-job-absent': explainIndexConflict,
  'index-job-exists': explainIndexConflict,
  'job-missing': explainMissingJob,
  'job-id-mismatch': explainJobMismatch,
  'job-id-not-name': explainJobMismatch,
  'named-job-mismatch': explainJobMismatch,
  'region-unknown': explainRegion,
  'stale-no-bool': explainParameter,
  'per-page-no-number': explainParameter,
  'no-leader': explainNoLeader,
  'acls-disabled': explainAclsOff,
  'bootstrap-done': explainBootstrapped,
  'body-empty': explainBody,
  'body-mistyped': explainBody,
  'not-json': explainBody,
  'wait-unreadable': diagnoseWaitParameter,
  'index-unreadable': diagnoseWaitParameter,
}

/**
 * Returns the checks, corrections and explanations of the jobs API
 * (behaviour/program#explanations).
 */
export function explanationsIn({ isVendor }: SchedulerDialect): ApiExplanations {
  const header = isVendor ? 'X-Nomad-Token' : 'X-Sched-Token'
  return {
    checks,
    spec: 'behaviour/scheduler#conventions',
    choicesByRule,
    addresses,
    diagnose(request) {
      if (request.rule === 'permission-denied') return explainPermissionDenied(request, header)
      if (/^(?:agent|client)-token-/.test(request.rule)) {
        return { ...explainToken(request, request.token ?? ''), spec: tokenSpec }
      }
      return diagnoses[request.rule]?.(request) ?? explainAbsence(request)
    },
    correct: correctionIn(header),
  }
}
