import { optionsOf } from '../../../state/scheduler/options.ts'
import { diagnoseWaitParameter, waitRules } from '../../http/blocking/wait-parameters.ts'
import {
  type ApiExplanations,
  type Diagnosis,
  type ExplainedRequest,
  type OperationAddress,
  takesBody,
} from '../../http/journal-hooks/api-explanations.ts'
import { schedulerCoverage } from '../coverage.ts'
import type { SchedulerDialect } from '../dialect.ts'
import { explainAbsence } from './absent.ts'
import { permissionDenied } from './access.ts'
import { decisions } from './decisions.ts'
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

const isUnderAcls = ({ world }: ExplainedRequest): boolean => optionsOf(world).aclEnabled

/** What a request is refused for before its operation looks at it. */
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

/** The first parameter of a path may hold slashes. */
function addresses(): readonly OperationAddress[] {
  return schedulerCoverage().operations.map(({ id, verb, path }) => ({
    operation: id,
    method: verb,
    path: path.replace(/:(\w+)/, '*$1'),
  }))
}

/** The mistakes behind refusals, by their rules. */
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

/** What the jobs API knows of its refusals (behaviour/program#explanations). */
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
