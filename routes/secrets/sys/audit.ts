import { bool, map, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct, withDefault } from '../../../state/kernel/shape/members.ts'
import {
  auditDevicesIn,
  auditHash,
  deleteAuditHeader,
  disableAudit,
  enableAudit,
  readAuditHeader,
  readAuditHeaders,
  writeAuditHeader,
} from '../../../state/secrets/audit-and-cors.ts'
import { enveloped, envelopeOf } from '../envelope/schemas.ts'
import { flag, requiredText, textField } from '../fields/field-kinds.ts'
import { operationsOf } from '../operation.ts'

const spec = 'behaviour/secrets#small-endpoints'
const operation = operationsOf({ spec, access: 'sudo' })

const headerSchema = struct({ hmac: bool })

const headersSchema = map(headerSchema)

/**
 * Operations on audit devices, and on the request headers that audit devices would log. In the
 * mock, audit devices log nothing.
 */
export const auditOperations = [
  operation.read('listAuditDevices', 'audit', {
    summary: 'List the audit devices by path.',
    reply: {
      200: envelopeOf(
        map(
          struct({
            type: text,
            description: text,
            options: map(text),
            local: bool,
            path: text,
          }),
        ),
      ),
    },
    run({ world, namespace }) {
      const devices = auditDevicesIn(world, namespace).map(
        ({ type, description, options, local, path }) =>
          [path, { type, description, options, local, path }] as const,
      )
      return { kind: 'envelope', data: Object.fromEntries(devices), repeatsKeys: true }
    },
  }),
  operation.write('enableAuditDevice', 'audit/*path', {
    summary: 'Enable an audit device, which writes nothing.',
    body: {
      type: requiredText('`file`, `socket` or `syslog`'),
      description: textField('Description for people'),
      options: withDefault(described(map(text), 'Settings: file_path, address, format'), {}),
      local: flag('Whether the device is local to the cluster'),
    },
    apply: ({ world, namespace, params: { path }, fields }) =>
      enableAudit(world, namespace, { ...fields, path }),
  }),
  operation.delete('disableAuditDevice', 'audit/*path', {
    summary: 'Disable an audit device.',
    apply: ({ world, namespace, params }) => disableAudit(world, namespace, params.path),
  }),
  operationsOf({ spec }).write('hashForAudit', 'audit-hash/*path', {
    summary: 'Hash a text as an audit device would log it.',
    body: { input: requiredText('Text to hash') },
    reply: enveloped({ hash: text }),
    run({ world, namespace, params, fields }) {
      const hash = auditHash(world, namespace, params.path, fields.input)
      return { kind: 'envelope', data: { hash }, repeatsKeys: true }
    },
  }),
  operation.read('readAuditHeaders', 'config/auditing/request-headers', {
    summary: 'Read which request headers audit devices would log.',
    reply: enveloped({ headers: headersSchema }),
    run: ({ world }) => ({
      kind: 'envelope',
      data: { headers: readAuditHeaders(world) },
      repeatsKeys: true,
    }),
  }),
  operation.read('readAuditHeader', 'config/auditing/request-headers/*header', {
    summary: 'Read how audit devices would log a request header.',
    reply: { 200: envelopeOf(headersSchema) },
    run: ({ world, params: { header } }) => ({
      kind: 'envelope',
      data: { [header]: readAuditHeader(world, header) },
      repeatsKeys: true,
    }),
  }),
  operation.write('writeAuditHeader', 'config/auditing/request-headers/*header', {
    summary: 'Set that audit devices log a request header.',
    body: { hmac: flag('Whether the device hashes the value of the header') },
    apply: ({ world, params, fields }) => writeAuditHeader(world, params.header, fields.hmac),
  }),
  operation.delete('deleteAuditHeader', 'config/auditing/request-headers/*header', {
    summary: 'Stop audit devices from logging a request header.',
    apply: ({ world, params }) => deleteAuditHeader(world, params.header),
  }),
]
