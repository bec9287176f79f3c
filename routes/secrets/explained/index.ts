import type { World } from '../../../state/kernel/worlds/world.ts'
import { mountsIn } from '../../../state/secrets/mounts/mounts.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { type HealthCondition, healthCondition } from '../../../state/secrets/seal/health.ts'
import type {
  ApiExplanations,
  Diagnosis,
  ExplainedRequest,
  OperationAddress,
} from '../../http/journal-hooks/api-explanations.ts'
import { methods } from '../coverage.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { requestChecks } from '../dispatch/checks.ts'
import { engineType, secretsEngines } from '../engines.ts'
import { decisions } from './decisions.ts'
import { explainAbsence, explainCas, explainMissingData } from './kv.ts'
import {
  explainMisplacedRequest,
  explainUnknownMount,
  explainUnknownNamespace,
} from './misplaced.ts'
import {
  explainContentType,
  explainDuration,
  explainField,
  explainFolderWrite,
  explainRateLimit,
  explainReservedName,
  explainSealedNode,
  explainUnreadableBody,
} from './requests.ts'
import {
  explainAccountRefusal,
  explainMissingCapability,
  explainMissingKeys,
  explainTokenRefusal,
} from './tokens.ts'

/** Returns the operations of all mounts in the root namespace. */
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

/** Returns the functions that explain refusals, by rule. */
function diagnosesByRule(dialect: SecretsDialect) {
  const diagnoses: Readonly<Record<string, (query: ExplainedRequest) => Diagnosis | undefined>> = {
    'token-refused': (query) => explainTokenRefusal(query, dialect),
    'acl-denied': (query) => explainUnknownMount(query) ?? explainMissingCapability(query),
    'route-unknown': explainUnknownMount,
    'cas-mismatch': explainCas,
    'cas-required': explainCas,
    'cas-unreadable': explainCas,
    'nothing-here': explainAbsence,
    '': (query) => explainDuration(query) ?? explainAbsence(query),
    'no-data': explainMissingData,
    'namespace-not-found': explainUnknownNamespace,
    sealed: explainSealedNode,
    'rate-limit-exceeded': explainRateLimit,
    'write-to-folder': explainFolderWrite,
    'content-type-unsupported': explainContentType,
    'media-type-missing': explainContentType,
    'body-unreadable': explainUnreadableBody,
    'bare-body-unreadable': explainUnreadableBody,
    'field-unconvertible': explainField,
    'field-validation-failed': explainField,
    'mount-protected': explainReservedName,
    'unmount-protected': explainReservedName,
    'policy-fixed': explainReservedName,
    'policy-not-deletable': explainReservedName,
    'namespace-name-invalid': explainReservedName,
    'orch-login-unverified': explainAccountRefusal,
    'orch-login-not-reviewed': explainAccountRefusal,
    'jwt-unverified': explainMissingKeys,
    'jwt-key-set-failed': explainMissingKeys,
    'jwt-discovery-failed': explainMissingKeys,
  }
  return diagnoses
}

/** Returns the explanations of the secrets API's refusals (behaviour/program#explanations). */
export function secretsExplanations(dialect: SecretsDialect): ApiExplanations {
  const diagnoses = diagnosesByRule(dialect)
  return {
    checks: requestChecks,
    spec: 'behaviour/secrets#conventions',
    decisions,
    addresses,
    diagnoseMisdirected: (query) => explainMisplacedRequest(query, dialect),
    diagnoseServed: (query) =>
      query.operation?.id === 'readHealth' ? explainHealthStatus(query) : undefined,
    diagnose: (query) => diagnoses[query.rule]?.(query),
  }
}

/**
 * Condition of a node in words, and the query parameter that makes health reply as for an active
 * node.
 */
const conditions: Readonly<Record<HealthCondition, readonly [is: string, asked?: string]>> = {
  uninitialized: ['not initialised', 'uninitcode'],
  sealed: ['sealed', 'sealedcode'],
  'dr-secondary': ['a DR secondary', 'drsecondarycode'],
  'performance-standby': ['a performance standby', 'perfstandbyok'],
  standby: ['a standby', 'standbyok'],
  active: ['active', 'activecode'],
}

/** Explains the status of a health reply (behaviour/secrets#api-health). */
function explainHealthStatus({ world, status }: ExplainedRequest): Diagnosis {
  const [is, query] = conditions[healthCondition(world)]
  const because = `the node is ${is}, which health reports as ${status}`
  if (query === undefined) return { because }
  const value = query.endsWith('ok') ? 'true' : '200'
  return {
    because,
    change: `Send ?${query}=${value} to accept such a node`,
    request: { query: { [query]: value } },
  }
}
