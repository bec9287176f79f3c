import { int, list, map, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { generateIntermediate, importBundle } from '../../../state/secrets/pki/authority.ts'
import { templateWarnings } from '../../../state/secrets/pki/issuer-changes.ts'
import { message, refuse } from '../../../state/secrets/pki/messages.ts'
import { signIntermediate, signSelfIssued } from '../../../state/secrets/pki/sign-authority.ts'
import {
  issuersOf,
  type PkiCluster,
  type PkiUrls,
  pkiCluster,
  pkiUrls,
  setPkiCluster,
  setPkiUrls,
} from '../../../state/secrets/pki/tables.ts'
import { dataOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped } from '../envelope/schemas.ts'
import { flag, requiredText, textField } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'
import { authorityFields, keyFields, urlFields, urlReply } from './schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-roots' })

const { issuer_name: _, ...certificateFields } = authorityFields

const { use_pss: _pss, use_rsa_pss: _rsaPss, ...requestKeyFields } = keyFields

const generateFields = {
  ...certificateFields,
  ...requestKeyFields,
  add_basic_constraints: flag('Whether the signing request asks for a CA certificate'),
} as const

const { signature_bits, use_pss, use_rsa_pss } = keyFields

const signFields = {
  ...certificateFields,
  ...{ signature_bits, use_pss, use_rsa_pss },
  max_path_length: described(
    int,
    'Maximum number of authorities below; one less than that of the issuer if left out',
  ),
  skid: textField('Subject key identifier in hexadecimal; the hash of the key if left out'),
  csr: requiredText('Signing request in PEM'),
  use_csr_values: flag('Whether the subject and the names of the signing request are used'),
} as const

const generateReply = enveloped({
  csr: text,
  key_id: text,
  private_key: optional(text),
  private_key_type: optional(text),
})

const signReply = enveloped({
  ca_chain: list(text),
  certificate: text,
  expiration: int,
  issuing_ca: text,
  serial_number: text,
})

const importReply = enveloped({
  imported_issuers: nullable(list(text)),
  imported_keys: nullable(list(text)),
  existing_issuers: nullable(list(text)),
  existing_keys: nullable(list(text)),
  mapping: map(text),
})

/** PEM texts of an import. A request contains one of them; the other one is empty. */
interface ImportRequest {
  readonly pem_bundle: string
  readonly certificate: string
}

/**
 * Imports PEM texts and returns the reply, with a warning if the mount has no addresses. Keys are
 * accepted only in `pem_bundle`, and only if `allowsKeys` is true. Throws a refusal unless exactly
 * one of the two texts was sent, and for a text that cannot be imported.
 */
function importOutcome(
  world: World,
  mount: Mount,
  { pem_bundle, certificate }: ImportRequest,
  allowsKeys: boolean,
) {
  if (pem_bundle === '' && certificate === '') throw refuse('pki-bundle-missing')
  if (pem_bundle !== '' && certificate !== '') throw refuse('pki-import-both')
  const isBundle = certificate === ''
  const text = pem_bundle || certificate
  const { imported, warnings } = importBundle(world, mount, text, allowsKeys && isBundle)
  const { issuing_certificates, crl_distribution_points, ocsp_servers } = pkiUrls(world, mount)
  const urls = [...issuing_certificates, ...crl_distribution_points, ...ocsp_servers]
  const allWarnings = urls.length === 0 ? [...warnings, message('pki-no-addresses')] : warnings
  return { kind: 'envelope', data: imported, warnings: allWarnings } as const
}

const generateOptions = {
  summary: 'Create a key and a signing request for an intermediate authority.',
  body: generateFields,
  secrets: { reply: ['data/private_key'] },
  reply: generateReply,
} as const

const signOptions = {
  summary: 'Sign an intermediate authority.',
  body: signFields,
  failures: [500],
  reply: signReply,
} as const

const bundleFields = {
  pem_bundle: requiredText('Certificates and private keys in PEM'),
  certificate: textField('Certificates in PEM, instead of `pem_bundle`'),
} as const

const signSelfIssuedOptions = {
  summary: 'Sign a self-signed certificate, so that a second chain leads to it.',
  body: {
    certificate: requiredText('Self-signed certificate in PEM'),
    require_matching_certificate_algorithms: flag('Whether both keys must have the same algorithm'),
  },
  failures: [500],
  reply: enveloped({ certificate: text, issuing_ca: text }),
} as const

const importOptions = {
  body: bundleFields,
  secrets: { body: ['pem_bundle'] },
  reply: importReply,
} as const

/**
 * Operations that create, sign and import intermediate CAs, and an operation that signs self-signed
 * certificates.
 */
export const authorityOperations = [
  operation.write('pkiGenerateIntermediate', 'intermediate/generate/:exported', {
    ...generateOptions,
    run: ({ world, mount, params, fields }) => ({
      kind: 'envelope',
      ...generateIntermediate(world, mount, params.exported, fields),
    }),
  }),
  operation.write('pkiGenerateIntermediateIssuer', 'issuers/generate/intermediate/:exported', {
    ...generateOptions,
    run: ({ world, mount, params, fields }) => ({
      kind: 'envelope',
      ...generateIntermediate(world, mount, params.exported, fields),
    }),
  }),
  operation.write('pkiCrossSign', 'intermediate/cross-sign', {
    ...generateOptions,
    summary: 'Create a signing request for an intermediate authority with an existing key.',
    run: ({ world, mount, fields }) => ({
      kind: 'envelope',
      ...generateIntermediate(world, mount, 'existing', fields),
    }),
  }),
  operation.write('pkiSignSelfIssued', 'root/sign-self-issued', {
    ...signSelfIssuedOptions,
    access: 'sudo',
    run: ({ world, mount, fields }) => dataOutcome(signSelfIssued(world, mount, 'default', fields)),
  }),
  operation.write('pkiSignSelfIssuedByIssuer', 'issuer/:issuer_ref/sign-self-issued', {
    ...signSelfIssuedOptions,
    run: ({ world, mount, params, fields }) =>
      dataOutcome(signSelfIssued(world, mount, params.issuer_ref, fields)),
  }),
  operation.write('pkiSignIntermediate', 'root/sign-intermediate', {
    ...signOptions,
    run: ({ world, mount, fields }) => ({
      kind: 'envelope',
      ...signIntermediate(world, mount, 'default', fields),
    }),
  }),
  operation.write('pkiSignIntermediateByIssuer', 'issuer/:issuer_ref/sign-intermediate', {
    ...signOptions,
    run: ({ world, mount, params, fields }) => ({
      kind: 'envelope',
      ...signIntermediate(world, mount, params.issuer_ref, fields),
    }),
  }),
  operation.write('pkiSetSigned', 'intermediate/set-signed', {
    summary: 'Import the certificate of an intermediate authority.',
    body: { certificate: textField('Certificates in PEM') },
    reply: importReply,
    run: ({ world, mount, fields }) =>
      importOutcome(world, mount, { ...fields, pem_bundle: '' }, true),
  }),
  operation.write('pkiImportCertificates', 'issuers/import/cert', {
    ...importOptions,
    summary: 'Import certificates of authorities.',
    run: ({ world, mount, fields }) => importOutcome(world, mount, fields, false),
  }),
  operation.write('pkiImportBundle', 'issuers/import/bundle', {
    ...importOptions,
    summary: 'Import certificates of authorities and their keys.',
    run: ({ world, mount, fields }) => importOutcome(world, mount, fields, true),
  }),
  operation.write('pkiConfigureCa', 'config/ca', {
    ...importOptions,
    summary: 'Import certificates of authorities and their keys.',
    run: ({ world, mount, fields }) => importOutcome(world, mount, fields, true),
  }),
]

const urlOperation = operationsOf({ spec: 'behaviour/secrets#pki-urls' })

function urlView({ wal: _wal, ...view }: PkiUrls): object {
  return view
}

const clusterReply = enveloped({ path: text, aia_path: text })

function clusterView({ path, aia_path }: PkiCluster): SecretsOutcome {
  return dataOutcome({ path, aia_path })
}

/**
 * Operations on the URLs that issued certificates contain, and on the addresses of the cluster. The
 * addresses of the cluster replace placeholders in URL templates.
 */
export const urlOperations = [
  urlOperation.read('pkiReadUrls', 'config/urls', {
    summary: 'Read the addresses that certificates contain.',
    reply: urlReply,
    run: ({ world, mount }) => dataOutcome(urlView(pkiUrls(world, mount))),
  }),
  urlOperation.write('pkiWriteUrls', 'config/urls', {
    summary: 'Change the given addresses that certificates contain.',
    body: urlFields,
    reply: urlReply,
    run({ world, mount, fields }) {
      const view = urlView(setPkiUrls(world, mount, fields))
      const [issuer] = issuersOf(world, mount)
      const warnings = issuer === undefined ? [] : templateWarnings(world, mount, issuer)
      return { kind: 'envelope', data: view, warnings }
    },
  }),
  urlOperation.read('pkiReadCluster', 'config/cluster', {
    summary: 'Read the addresses of the cluster, for templates of addresses.',
    reply: clusterReply,
    run: ({ world, mount }) => clusterView(pkiCluster(world, mount)),
  }),
  urlOperation.write('pkiWriteCluster', 'config/cluster', {
    summary: 'Change the given addresses of the cluster.',
    body: {
      path: described(text, 'API address of the mount in this cluster'),
      aia_path: described(text, 'Address of the mount for certificates, CRLs and OCSP'),
    },
    failures: [500],
    reply: clusterReply,
    run: ({ world, mount, fields }) => clusterView(setPkiCluster(world, mount, fields)),
  }),
]
