import { optionsOf } from '../../../state/scheduler/options.ts'
import {
  type ApiExplanations,
  type Diagnosis,
  type ExplainedRequest,
  type OperationAddress,
  takesBody,
} from '../../http/explains.ts'
import { diagnoseWaitParameter, waitRules } from '../../http/unreadable-wait.ts'
import { schedulerCoverage } from '../coverage.ts'
import type { SchedulerDialect } from '../dialect.ts'
import { absentOf } from './absent.ts'
import { permissionDenied } from './access.ts'
import { decisions } from './decisions.ts'
import {
  aclsOff,
  bootstrapped,
  noLeader,
  otherIndex,
  otherJob,
  otherRegion,
  withoutJob,
  wrongBody,
} from './requests.ts'

const underAcls = ({ world }: ExplainedRequest): boolean => optionsOf(world).aclEnabled

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
    applies: underAcls,
  },
  { name: 'access', rules: ['permission-denied'], applies: underAcls },
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
const diagnoses: Readonly<Record<string, (asked: ExplainedRequest) => Diagnosis | undefined>> = {
  'index-conflict': otherIndex,
  'index-job-absent': otherIndex,
  'index-job-exists': otherIndex,
  'job-missing': withoutJob,
  'job-id-mismatch': otherJob,
  'job-id-not-name': otherJob,
  'named-job-mismatch': otherJob,
  'region-unknown': otherRegion,
  'no-leader': noLeader,
  'acls-disabled': aclsOff,
  'bootstrap-done': bootstrapped,
  'body-empty': wrongBody,
  'body-mistyped': wrongBody,
  'not-json': wrongBody,
  'wait-unreadable': diagnoseWaitParameter,
  'index-unreadable': diagnoseWaitParameter,
}

/** What the jobs API knows of its refusals (behaviour/program#explanations). */
export function explainedIn({ isVendor }: SchedulerDialect): ApiExplanations {
  const header = isVendor ? 'X-Nomad-Token' : 'X-Sched-Token'
  return {
    checks,
    spec: 'behaviour/scheduler#conventions',
    decisions,
    addresses,
    diagnose: (asked) =>
      asked.rule === 'permission-denied'
        ? permissionDenied(asked, header)
        : (diagnoses[asked.rule]?.(asked) ?? absentOf(asked)),
  }
}
