import type { World } from '../../../state/kernel/world.ts'
import { mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { optionsOf, usesIndexStates } from '../../../state/secrets/options.ts'
import { isDrSecondary } from '../../../state/secrets/replication/modes.ts'
import type {
  ApiExplanations,
  Diagnosis,
  ExplainedRequest,
  OperationAddress,
} from '../../http/explains.ts'
import { methods } from '../coverage.ts'
import { apiHeader, type SecretsDialect } from '../dialect/dialect.ts'
import { engineType, secretsEngines } from '../engines.ts'
import { capabilityLacked } from './access.ts'
import { decisions } from './decisions.ts'
import { explainHealthStatus } from './health.ts'
import { absentOf, casRefused, withoutDataMember } from './kv.ts'
import { accountRefused, keysNotHad } from './logins.ts'
import { misplaced, unknownMount, unknownNamespace } from './misplaced.ts'
import {
  nodeClosed,
  notMergePatch,
  toFolder,
  tooMany,
  unreadable,
  wrongDuration,
  wrongField,
} from './requests.ts'
import { reservedName } from './reserved.ts'
import { tokenRefused } from './tokens.ts'

/** What a request is refused for before its operation looks at it, in the order of behaviour/secrets#conventions. */
const checks: ApiExplanations['checks'] = [
  {
    name: 'path',
    rules: ['path-relative', 'path-escape-invalid', 'verb-unknown', 'list-no-boolean'],
  },
  {
    name: 'rate limit',
    rules: ['rate-limit-exceeded'],
    applies: ({ world }) => optionsOf(world).rateLimit > 0,
  },
  {
    name: 'body',
    rules: ['body-unreadable', 'body-too-large', 'bare-body-unreadable', 'bare-body-too-large'],
  },
  {
    name: 'content type',
    rules: ['content-type-unsupported', 'media-type-missing'],
    applies: ({ method }) => method === 'PATCH',
  },
  {
    name: 'wrapping',
    rules: ['wrap-ttl-negative', 'wrap-ttl-unreadable'],
    applies: ({ headers }) => apiHeader(headers, 'wrap-ttl') !== undefined,
  },
  {
    name: 'request header',
    rules: ['request-header-missing'],
    applies: ({ world }) => optionsOf(world).require_request_header,
  },
  { name: 'seal', rules: ['sealed'] },
  { name: 'folder', rules: ['write-to-folder', 'trailing-slash'] },
  {
    name: 'replication',
    rules: ['disabled-on-secondary'],
    applies: ({ world }) => isDrSecondary(world),
  },
  {
    name: 'index',
    rules: ['index-state-ahead', 'index-state-form', 'index-state-mac'],
    applies: ({ world }) => usesIndexStates(world),
  },
  {
    name: 'namespace',
    rules: [
      'namespace-twice',
      'namespace-not-found',
      'namespaces-not-enabled',
      'unavailable-in-namespaces',
    ],
  },
  {
    name: 'edition',
    rules: ['enterprise-only'],
    applies: ({ world }) => optionsOf(world).edition === 'community',
  },
  {
    name: 'token',
    rules: [
      'token-refused',
      'token-missing',
      'token-in-wrong-header',
      'token-scheme-wrong',
      'token-unknown',
      'token-expired',
      'token-used-up',
      'token-revoked',
      'token-bound',
    ],
  },
  { name: 'access', rules: ['acl-denied', 'parameters-denied', 'token-of-other-namespace'] },
  {
    name: 'route',
    rules: [
      'route-unknown',
      'mount-unknown',
      'kv2-part-missing',
      'kv2-list-elsewhere',
      'wrong-dialect',
      'wrong-api',
      'unsupported-path',
      'unsupported-operation',
      'method-not-allowed',
    ],
  },
  {
    name: 'fields',
    rules: ['field-unconvertible', 'field-validation-failed', 'duration-unreadable'],
  },
]

/** The operations of what is mounted in the root namespace. */
function addresses(world: World): readonly OperationAddress[] {
  return mountsIn(world, rootNamespace).flatMap((mount) => {
    const type = engineType(mount)
    const engine = secretsEngines.find((each) => each.type === type)
    return (engine?.operations ?? []).map(({ id, verb, path }) => ({
      operation: id,
      method: methods[verb],
      path: `/v1/${mount.path}${path}`,
    }))
  })
}

/** The mistakes behind refusals, by their rules. */
function diagnosesIn(dialect: SecretsDialect) {
  const diagnoses: Readonly<Record<string, (query: ExplainedRequest) => Diagnosis | undefined>> = {
    'token-refused': (query) => tokenRefused(query, dialect),
    'acl-denied': (query) => unknownMount(query) ?? capabilityLacked(query),
    'route-unknown': unknownMount,
    'cas-mismatch': casRefused,
    'cas-required': casRefused,
    'cas-unreadable': casRefused,
    'nothing-here': absentOf,
    '': (query) => wrongDuration(query) ?? absentOf(query),
    'no-data': withoutDataMember,
    'namespace-not-found': unknownNamespace,
    sealed: nodeClosed,
    'rate-limit-exceeded': tooMany,
    'write-to-folder': toFolder,
    'content-type-unsupported': notMergePatch,
    'media-type-missing': notMergePatch,
    'body-unreadable': unreadable,
    'bare-body-unreadable': unreadable,
    'field-unconvertible': wrongField,
    'field-validation-failed': wrongField,
    'mount-protected': reservedName,
    'unmount-protected': reservedName,
    'policy-fixed': reservedName,
    'policy-not-deletable': reservedName,
    'namespace-name-invalid': reservedName,
    'orch-login-unverified': accountRefused,
    'orch-login-not-reviewed': accountRefused,
    'jwt-unverified': keysNotHad,
    'jwt-key-set-failed': keysNotHad,
    'jwt-discovery-failed': keysNotHad,
  }
  return diagnoses
}

/** What the secrets API knows of its refusals (behaviour/program#explanations). */
export function explainedIn(dialect: SecretsDialect): ApiExplanations {
  const diagnoses = diagnosesIn(dialect)
  return {
    checks,
    spec: 'behaviour/secrets#conventions',
    decisions,
    addresses,
    diagnoseMisdirected: (query) => misplaced(query, dialect),
    diagnoseServed: (query) =>
      query.operation?.id === 'readHealth' ? explainHealthStatus(query) : undefined,
    diagnose: (query) => diagnoses[query.rule]?.(query),
  }
}
