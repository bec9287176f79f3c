import { createPrivateKey, X509Certificate } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import type { EntryMembers } from './entry-shapes.ts'
import { asOneProblem, metaProblems, type Problems, tlsProblems } from './problems.ts'

type Provider = EntryMembers<'jwt-provider'>
type Remote = NonNullable<NonNullable<Provider['JSONWebKeySet']>['Remote']>

const countTruthy = (...values: readonly unknown[]) => values.filter(Boolean).length

function* remoteProblems({ URI = '', RetryPolicy, JWKSCluster: cluster }: Remote): Problems {
  if (URI === '') yield 'Remote JWKS URI is required'
  if (!URL.canParse(URI)) {
    yield `Remote JWKS URI is invalid: parse ${quoteGo(URI)}: invalid URI for request, uri: ${URI}`
  }
  const { BaseInterval = 0, MaxInterval = 0 } = RetryPolicy?.RetryPolicyBackOff ?? {}
  if (MaxInterval !== 0 && BaseInterval > MaxInterval) {
    yield "retry policy backoff's MaxInterval should be greater or equal to BaseInterval"
  }
  const types = ['', 'STATIC', 'STRICT_DNS', 'LOGICAL_DNS', 'EDS', 'ORIGINAL_DST']
  const { DiscoveryType = '', TLSCertificates: certificates } = cluster ?? {}
  if (!types.includes(DiscoveryType)) {
    yield `unsupported jwks cluster discovery type: ${quoteGo(DiscoveryType)}`
  }
  if (certificates === undefined) return
  const { TrustedCA: trustedCa } = certificates
  if (countTruthy(certificates.CaCertificateProviderInstance, trustedCa) !== 1) {
    yield "must specify exactly one of: CaCertificateProviderInstance or TrustedCA for JKWS' TLSCertificates"
  }
  if (trustedCa !== undefined && countTruthy(...Object.values(trustedCa)) !== 1) {
    yield "must specify exactly one of: Filename, EnvironmentVariable, InlineString or InlineBytes for JWKS' TrustedCA"
  }
}

function* keySetProblems(keySet: Provider['JSONWebKeySet']): Problems {
  if (keySet === undefined) {
    yield 'JSONWebKeySet is required'
    return
  }
  const { Local, Remote } = keySet
  if (countTruthy(Local, Remote) !== 1) {
    yield 'must specify exactly one of Local or Remote JSON Web key set'
  }
  if (Remote !== undefined) yield* remoteProblems(Remote)
  if (Local === undefined) return
  const { JWKS = '', Filename = '' } = Local
  if (countTruthy(JWKS, Filename) !== 1) {
    yield 'must specify exactly one of String or filename for local keyset'
  }
  if (Buffer.from(JWKS, 'base64').toString('base64') !== JWKS) {
    yield 'JWKS must be valid base64 encoded string'
  }
}

function locationErrors(locations: Provider['Locations'] = []): readonly string[] {
  return locations.flatMap(({ Header, QueryParam, Cookie }) => {
    if (countTruthy(Header, QueryParam, Cookie) !== 1) {
      return ['must set exactly one of: JWT location header, query param or cookie']
    }
    const places = [
      [Header, 'header name'],
      [Cookie, 'cookie name'],
      [QueryParam, 'query param name'],
    ] as const
    return places
      .filter(([location]) => location !== undefined && !location.Name)
      .map(([, what]) => `JWT location ${what} must be specified`)
  })
}

export function* providerProblems(entry: Provider): Problems {
  if (!entry.Name) yield 'Name is required'
  yield* metaProblems(entry.Meta)
  yield* keySetProblems(entry.JSONWebKeySet)
  yield* asOneProblem(locationErrors(entry.Locations))
  if (entry.Forwarding !== undefined && !entry.Forwarding.HeaderName) {
    yield 'Header name required for forwarding config'
  }
}

export function* meshProblems(entry: EntryMembers<'mesh'>): Problems {
  yield* metaProblems(entry.Meta)
  for (const [name, tls] of [
    ['incoming', entry.TLS?.Incoming],
    ['outgoing', entry.TLS?.Outgoing],
  ] as const) {
    const { TLSMinVersion, TLSMaxVersion, CipherSuites } = tls ?? {}
    for (const problem of tlsProblems(TLSMinVersion, TLSMaxVersion, CipherSuites)) {
      yield `error in ${name} TLS configuration: ${problem}`
    }
  }
}

export function* exportsProblems(
  entry: EntryMembers<'exported-services'>,
  isCommunity: boolean,
): Problems {
  if (entry.Name !== 'default') yield 'exported-services Name must be "default"'
  yield* metaProblems(entry.Meta)
  const services = [...(entry.Services ?? []).entries()]
  for (const [at, { Consumers = [] }] of isCommunity ? services : []) {
    for (const [index, { SamenessGroup = '' }] of Consumers.entries()) {
      if (SamenessGroup === '') continue
      yield `Services[${at}].Consumers[${index}]: sameness-groups are an enterprise-only feature`
    }
  }
  for (const [at, { Name, Namespace, Consumers = [] }] of services) {
    if (Name === '') yield `Services[${at}]: service name cannot be empty`
    if (Namespace === '*' && Name !== '*') {
      yield `Services[${at}]: service name must be wildcard if namespace is wildcard`
    }
    if (Consumers.length === 0) yield `Services[${at}]: must have at least one consumer`
    for (const [index, { Peer, Partition, SamenessGroup }] of Consumers.entries()) {
      const location = `Services[${at}].Consumers[${index}]`
      if (countTruthy(Peer, Partition, SamenessGroup) > 1) {
        yield `${location}: must define at most one of Peer, Partition, or SamenessGroup`
      }
      if (Partition === '*') {
        yield `${location}: exporting to all partitions (wildcard) is not supported`
      }
      if (Peer === '*') yield `${location}: exporting to all peers (wildcard) is not supported`
    }
  }
}

const holdsPemBlock = (text: string) => /-----BEGIN [^-]+-----[\s\S]+-----END [^-]+-----/.test(text)

export function* certificateProblems(entry: EntryMembers<'inline-certificate'>): Problems {
  yield* metaProblems(entry.Meta)
  if (!holdsPemBlock(entry.PrivateKey)) yield 'failed to parse private key PEM'
  if (!holdsPemBlock(entry.Certificate)) yield 'failed to parse certificate PEM'
  try {
    const key = createPrivateKey(entry.PrivateKey)
    const { modulusLength } = key.asymmetricKeyDetails ?? {}
    if (modulusLength !== undefined && modulusLength < 2_048) {
      yield 'key length must be at least 2048 bits'
    }
    if (!new X509Certificate(entry.Certificate).checkPrivateKey(key)) {
      yield 'tls: private key does not match public key'
    }
  } catch {
    yield 'failed to parse certificate: x509: malformed certificate'
  }
}
