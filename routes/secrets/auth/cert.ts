import { bool, int, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import {
  certConfig,
  certConfigMembers,
  certCrls,
  certEntries,
  certMembers,
  requireCrl,
  writeCertConfig,
  writeCertEntry,
  writeCrl,
} from '../../../state/secrets/cert/certs.ts'
import { certLogin } from '../../../state/secrets/cert/login.ts'
import { optionsOf } from '../../../state/secrets/options.ts'
import { dataOutcome, keysOutcome } from '../envelope/outcome.ts'
import { authEnvelope, enveloped, keysEnvelope, structEnvelope } from '../envelope/schemas.ts'
import { requiredText, textField, texts } from '../fields/field-kinds.ts'
import { type Call, type Engine, operationsOf } from '../operation.ts'
import { roleData } from '../role-operations.ts'
import { loginOutcome } from './login-outcome.ts'
import {
  oldTokenFieldSchemas,
  oldTokenInputFields,
  tokenFieldSchemas,
  tokenInputFields,
} from './login-schemas.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#cert' })

const certFields = {
  ...certMembers,
  certificate: described(text, 'PEM certificates of clients or of a CA'),
  display_name: described(text, 'Suffix of the display names of tokens'),
  allowed_names: texts('Globs of which one must match a common name, host name or mail address'),
  allowed_common_names: texts('Globs of which one must match the common name'),
  allowed_dns_sans: texts('Globs of which one must match a host name'),
  allowed_email_sans: texts('Globs of which one must match a mail address'),
  allowed_uri_sans: texts('Globs of which one must match a URI'),
  allowed_organizational_units: texts('Globs of which one must match an organizational unit'),
  required_extensions: texts('Required extensions as `oid:pattern`'),
  allowed_metadata_extensions: texts('OIDs of the extensions that become metadata'),
  ocsp_servers_override: texts('Stored and returned, but without effect'),
  ocsp_ca_certificates: described(text, 'Stored and returned, but without effect'),
  ocsp_enabled: described(bool, 'Stored and returned, but without effect'),
  ocsp_fail_open: described(bool, 'Stored and returned, but without effect'),
  ocsp_query_all_servers: described(bool, 'Stored and returned, but without effect'),
  ...tokenInputFields,
  policies: oldTokenInputFields.policies,
  bound_cidrs: oldTokenInputFields.bound_cidrs,
  ttl: oldTokenInputFields.ttl,
  max_ttl: oldTokenInputFields.max_ttl,
  period: oldTokenInputFields.period,
  lease: described(int, 'Oldest name of token_ttl'),
} as const

/**
 * Returns the certificate of the client in PEM. If the header that the option
 * `clientCertificateHeader` names is present, the certificate comes from that header, which may be
 * percent-encoded. Otherwise it comes from TLS: an empty string for a TLS connection without a
 * certificate, and undefined for a connection without TLS.
 */
function presentedCertificate({ world, request }: Call<unknown>): string | undefined {
  const { clientCertificateHeader: header } = optionsOf(world)
  const headerValue = header === '' ? undefined : request.header(header.toLowerCase())
  if (headerValue === undefined) return request.clientCertificate
  try {
    return decodeURIComponent(headerValue)
  } catch {
    return headerValue
  }
}

/** The login method `cert`. Holders of a client certificate log in. */
export const certEngine: Engine = {
  type: 'cert',
  operations: [
    operation.list('certListEntries', 'certs', {
      summary: 'List the names of the entries.',
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keysOutcome(certEntries.names(world, mount)),
    }),
    operation.read('certReadEntry', 'certs/:name', {
      summary: 'Read an entry.',
      reply: enveloped({
        ...certMembers,
        ...tokenFieldSchemas,
        policies: oldTokenFieldSchemas.policies,
        bound_cidrs: oldTokenFieldSchemas.bound_cidrs,
        ttl: oldTokenFieldSchemas.ttl,
        max_ttl: oldTokenFieldSchemas.max_ttl,
        period: oldTokenFieldSchemas.period,
      }),
      run: ({ world, mount, params }) =>
        dataOutcome(roleData(certEntries.read(world, mount, params.name))),
    }),
    operation.write('certWriteEntry', 'certs/:name', {
      summary: 'Create or change an entry.',
      body: certFields,
      apply({ world, mount, params: { name }, fields }) {
        const { lease, ttl = lease, ...others } = fields
        writeCertEntry(world, mount, name, { ...others, ttl })
      },
    }),
    operation.delete('certDeleteEntry', 'certs/:name', {
      summary: 'Delete an entry.',
      apply: ({ world, mount, params: { name } }) => certEntries.remove(world, mount, name),
    }),
    operation.read('certReadConfig', 'config', {
      summary: 'Read the configuration.',
      reply: enveloped(certConfigMembers),
      run({ world, mount }) {
        const { wal, ...config } = certConfig(world, mount)
        return dataOutcome(config)
      },
    }),
    operation.write('certWriteConfig', 'config', {
      summary: 'Change the configuration.',
      body: {
        disable_binding: described(
          certConfigMembers.disable_binding,
          'Stored and returned, but without effect',
        ),
        enable_identity_alias_metadata: described(
          certConfigMembers.enable_identity_alias_metadata,
          'Whether aliases get the metadata of the certificate',
        ),
        ocsp_cache_size: described(
          certConfigMembers.ocsp_cache_size,
          'Stored and returned, but without effect',
        ),
      },
      apply: ({ world, mount, fields }) => writeCertConfig(world, mount, fields),
    }),
    operation.list('certListCrls', 'crls', {
      summary: 'List the names of the CRLs.',
      reply: { 200: keysEnvelope },
      run: ({ world, mount }) => keysOutcome(certCrls.names(world, mount)),
    }),
    operation.read('certReadCrl', 'crls/:name', {
      summary: 'Read the serial numbers of a CRL.',
      reply: { 200: structEnvelope({ serials: map(struct({})) }) },
      run: ({ world, mount, params }) =>
        dataOutcome({ serials: requireCrl(world, mount, params.name).serials }),
    }),
    operation.write('certWriteCrl', 'crls/:name', {
      summary: 'Store a CRL, whose certificates cannot log in.',
      body: { crl: requiredText('The CRL in PEM') },
      apply: ({ world, mount, params: { name }, fields: { crl } }) =>
        writeCrl(world, mount, name, crl),
    }),
    operation.delete('certDeleteCrl', 'crls/:name', {
      summary: 'Delete a CRL.',
      apply({ world, mount, params: { name } }) {
        requireCrl(world, mount, name)
        certCrls.remove(world, mount, name)
      },
    }),
    operation.write('certLogin', 'login', {
      summary: 'Log in the holder of a client certificate.',
      access: 'anyone',
      body: {
        name: textField('Name of the entry to log in with; any entry that matches if left out'),
      },
      failures: [403, 500],
      reply: { 200: authEnvelope },
      run(call) {
        const { world, namespace, mount, fields } = call
        const certificate = presentedCertificate(call)
        const login = { namespace, mount, name: fields.name, certificate }
        return loginOutcome(call, certLogin(world, login))
      },
    }),
  ],
}
