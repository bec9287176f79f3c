import { type ApiCoverage, evidenceOf } from '../http/declare/coverage.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import type { Method, OperationDeclaration } from '../http/declare/operation.ts'
import { discoveryOperation } from './discovery.ts'
import { registryOperations, registryPrefix } from './modules/registry.ts'
import { accessText } from './operation.ts'
import { operationsWithPaths } from './operations.ts'
import { providerPrefix, providerProtocolOperations } from './providers/provider-protocol.ts'

/** A route outside the API. Only documents and the coverage ledger use its declaration. */
interface OutsideOperation extends OperationDeclaration {
  readonly method: Method
  readonly access: 'anyone' | 'caller'
  /** True if bodies are raw bytes. */
  readonly bytes?: boolean
  /** True if bodies are plain JSON instead of JSON:API documents. */
  readonly plain?: boolean
}

const objectOperations: readonly OutsideOperation[] = [
  {
    id: 'uploadObject',
    method: 'PUT',
    path: '/v1/object/:secret',
    summary:
      'Upload the files of a configuration version, the archive of a module version or a state.',
    spec: 'behaviour/platform#api-endpoints; behaviour/platform#configuration-versions and behaviour/platform#surroundings',
    access: 'anyone',
    bytes: true,
    failures: [403, 409, 413, 422],
    reply: { 200: null },
  },
  {
    id: 'downloadObject',
    method: 'GET',
    path: '/v1/object/:secret',
    summary:
      "Read the available part of a run's log, or download the files of a version or a state; HEAD checks the archive of a module.",
    spec: 'behaviour/platform#log, behaviour/platform#configuration-versions and behaviour/platform#beyond',
    access: 'anyone',
    bytes: true,
    reply: { 200: {} },
  },
]

/** Returns the operations outside `/api/v2` that a dialect has. */
export function outsideOperations(dialect: DialectName): readonly OutsideOperation[] {
  return [
    ...objectOperations,
    ...protocolOperations(registryPrefix, registryOperations),
    ...protocolOperations(providerPrefix, providerProtocolOperations),
    ...(dialect === 'vendor' ? [discoveryOperation] : []),
  ]
}

/** Returns the operations of a protocol of the registry with their whole paths. */
function protocolOperations(
  prefix: string,
  operations: readonly (OperationDeclaration & { readonly method: Method })[],
): OutsideOperation[] {
  return operations.map((each) => ({
    ...each,
    path: prefix + each.path,
    access: 'caller',
    plain: true,
  }))
}

/** Returns the coverage ledger of the platform API and of the routes outside it. */
export function platformCoverage(dialect: DialectName = 'neutral'): ApiCoverage {
  return {
    operations: [...operationsWithPaths(), ...outsideOperations(dialect)].map(
      ({ id, method, path, summary, spec, access }) => ({
        id,
        verb: method,
        path,
        summary,
        spec,
        evidence: evidenceOf(spec),
        access: accessText(access),
      }),
    ),
  }
}
