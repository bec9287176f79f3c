import { bool, int, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { currentCrl, rebuildCrls } from '../../../state/secrets/pki/crl.ts'
import {
  crlConfig,
  crlConfigMembers,
  type PkiCrlConfig,
  writeCrlConfig,
} from '../../../state/secrets/pki/crl-config.ts'
import { message, refuse } from '../../../state/secrets/pki/messages.ts'
import { revokeCertificate } from '../../../state/secrets/pki/revocation.ts'
import { toPem } from '../../../state/secrets/pki/signing.ts'
import { findIssuer } from '../../../state/secrets/pki/tables.ts'
import { data, outcomeWithWarning, type SecretsOutcome } from '../envelope/outcome.ts'
import { enveloped, structEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { textField } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'
import { openIssuer, raw, rawReply } from './certificates.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#pki-revocation' })
const config = operationsOf({ spec: 'behaviour/secrets#pki-crl' })
const open = operationsOf({ spec: 'behaviour/secrets#pki-crl', access: 'anyone' })

const crlTypes = { der: 'application/pkix-crl', pem: 'application/x-pem-file' } as const

/** Returns the raw CRL of the default issuer. */
function defaultCrl(world: World, mount: Mount, form: 'der' | 'pem'): SecretsOutcome {
  const issuer = findIssuer(world, mount, 'default')
  return rawCrl(issuer && currentCrl(world, mount, issuer), form)
}

function rawCrl(der: Buffer | undefined, form: 'der' | 'pem'): SecretsOutcome {
  return raw(crlTypes[form], form === 'der' ? der : der && toPem('X509 CRL', der))
}

const revokeReply = {
  200: union(
    structEnvelope({ revocation_time: int, revocation_time_rfc3339: text, state: text }),
    warningEnvelope,
  ),
} as const

/** Fields of the CRL settings. */
const crlFields = {
  auto_rebuild: described(bool, 'CRLs are rebuilt by the clock, not at revocations'),
  auto_rebuild_grace_period: described(text, 'Time before the end at which CRLs are rebuilt'),
  cross_cluster_revocation: described(bool, 'Is stored and returned'),
  delta_rebuild_interval: described(text, 'Time between two delta CRLs'),
  disable: described(bool, 'CRLs are empty'),
  enable_delta: described(bool, 'There are delta CRLs'),
  expiry: described(text, 'Time until a CRL ends'),
  ocsp_disable: described(bool, 'OCSP requests are refused'),
  ocsp_expiry: described(text, 'Time until an OCSP reply ends'),
  unified_crl: described(bool, 'Is stored and returned'),
  unified_crl_on_existing_paths: described(bool, 'Is stored and returned'),
} as const

const crlReply = enveloped(crlConfigMembers)

function crlView({ wal: _wal, ...view }: PkiCrlConfig): SecretsOutcome {
  return data(view)
}

/** Operations that revoke certificates and read CRLs. */
export const revocationOperations = [
  operation.write('pkiRevoke', 'revoke', {
    summary: 'Revokes a certificate.',
    body: {
      serial_number: textField('Serial of the certificate, with colons or hyphens'),
      certificate: textField('The certificate as PEM, in place of the serial'),
    },
    failures: [500],
    reply: revokeReply,
    run({ world, mount, fields }) {
      const { serial, revokedAt } = revokeCertificate(world, mount, fields)
      if (revokedAt === undefined)
        return outcomeWithWarning(message('pki-revoke-expired', { serial }))
      return data({
        revocation_time: Math.floor(revokedAt / 1000),
        revocation_time_rfc3339: formatTimestamp(revokedAt),
        state: 'revoked',
      })
    },
  }),
  config.read('pkiRotateCrl', 'crl/rotate', {
    summary: 'Rebuilds the CRLs of all issuers.',
    reply: enveloped({ success: bool }),
    run({ world, mount }) {
      rebuildCrls(world, mount)
      return data({ success: true })
    },
  }),
  config.read('pkiReadCrlConfig', 'config/crl', {
    summary: 'Reads the settings of CRLs and OCSP.',
    reply: crlReply,
    run: ({ world, mount }) => crlView(crlConfig(world, mount)),
  }),
  config.write('pkiWriteCrlConfig', 'config/crl', {
    summary: 'Changes the given settings of CRLs and OCSP.',
    body: crlFields,
    reply: crlReply,
    run: ({ world, mount, fields }) => crlView(writeCrlConfig(world, mount, fields)),
  }),
  open.read('pkiReadCrl', 'crl', {
    summary: 'Reads the CRL of the default issuer as DER.',
    mediaType: crlTypes.der,
    reply: rawReply,
    run: ({ world, mount }) => defaultCrl(world, mount, 'der'),
  }),
  open.read('pkiReadCrlPem', 'crl/pem', {
    summary: 'Reads the CRL of the default issuer as PEM.',
    mediaType: crlTypes.pem,
    reply: rawReply,
    run: ({ world, mount }) => defaultCrl(world, mount, 'pem'),
  }),
  open.read('pkiReadIssuerCrl', 'issuer/:issuer_ref/crl', {
    summary: 'Reads the CRL of an issuer.',
    reply: enveloped({ crl: text }),
    run({ world, mount, params }) {
      const der = currentCrl(world, mount, openIssuer(world, mount, params.issuer_ref))
      if (der === undefined) throw refuse('nothing-here')
      return data({ crl: `${toPem('X509 CRL', der)}\n` })
    },
  }),
  open.read('pkiReadIssuerCrlDer', 'issuer/:issuer_ref/crl/der', {
    summary: 'Reads the CRL of an issuer as DER.',
    mediaType: crlTypes.der,
    reply: rawReply,
    run: ({ world, mount, params }) =>
      rawCrl(currentCrl(world, mount, openIssuer(world, mount, params.issuer_ref)), 'der'),
  }),
  open.read('pkiReadIssuerCrlPem', 'issuer/:issuer_ref/crl/pem', {
    summary: 'Reads the CRL of an issuer as PEM.',
    mediaType: crlTypes.pem,
    reply: rawReply,
    run: ({ world, mount, params }) =>
      rawCrl(currentCrl(world, mount, openIssuer(world, mount, params.issuer_ref)), 'pem'),
  }),
]
