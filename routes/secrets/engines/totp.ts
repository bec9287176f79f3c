import { bool, int, text } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, withDefault } from '../../../state/kernel/shape/members.ts'
import { barcodeOf } from '../../../state/secrets/totp/barcode.ts'
import {
  createTotpKey,
  currentCode,
  totpKeys,
  validateCode,
} from '../../../state/secrets/totp/keys.ts'
import { dataOutcome, emptyOutcome } from '../envelope/outcome.ts'
import { enveloped, structEnvelope } from '../envelope/schemas.ts'
import { duration, flag, requiredText, textField } from '../fields/field-kinds.ts'
import { type Engine, operationsOf } from '../operation.ts'
import { roleOperations } from '../role-operations.ts'

const spec = 'behaviour/secrets#totp'
const operation = operationsOf({ spec })

const keyFields = {
  generate: flag('Whether to generate a key'),
  exported: withDefault(
    described(bool, 'Whether the reply contains the generated key, as a URL and an image'),
    true,
  ),
  key_size: withDefault(described(int, 'Size of a generated key in bytes'), 20),
  url: textField('URL of a key: otpauth://totp/…'),
  key: textField('The key as base32'),
  issuer: textField('Name of the issuing organization'),
  account_name: textField('Name of the account'),
  period: withDefault(duration('Period of a code'), 30),
  algorithm: withDefault(described(text, 'SHA1, SHA256 or SHA512'), 'SHA1'),
  digits: withDefault(described(int, 'Number of digits of a code: 6 or 8'), 6),
  skew: withDefault(
    described(
      int,
      'Number of periods before and after the current one whose codes are accepted: 0 or 1',
    ),
    1,
  ),
  qr_size: withDefault(described(int, 'Width of the image in pixels; 0 means no image'), 200),
}

const keyReply = structEnvelope({
  account_name: text,
  algorithm: text,
  digits: int,
  issuer: text,
  period: described(int, 'Seconds'),
})

/** The engine that generates and validates time-based one-time passwords. */
export const totpEngine: Engine = {
  type: 'totp',
  operations: [
    ...roleOperations({
      method: 'totp',
      resource: 'Key',
      path: 'keys/:name',
      spec,
      fields: keyFields,
      envelope: keyReply,
      rows: totpKeys,
      view: ({ account_name, algorithm, digits, issuer, period }) => ({
        account_name,
        algorithm,
        digits,
        issuer,
        period,
      }),
    }),
    operation.write('totpWriteKey', 'keys/:name', {
      summary: 'Generate a key or store a given key; an existing key is replaced.',
      secrets: { body: ['key', 'url'], reply: ['data/url', 'data/barcode'] },
      body: keyFields,
      failures: [500],
      reply: {
        200: structEnvelope({
          barcode: optional(described(text, 'QR code of the URL as a PNG image in base64')),
          url: text,
        }),
        204: null,
      },
      run({ world, mount, params: { name }, fields }) {
        return world.write(() => {
          const url = createTotpKey(world, mount, name, fields)
          return url === undefined
            ? emptyOutcome
            : dataOutcome({ ...barcodeOf(url, fields.qr_size), url })
        })
      },
    }),
    operation.read('totpReadCode', 'code/:name', {
      summary: 'Generate the current code of a key.',
      secrets: { reply: ['data/code'] },
      reply: enveloped({ code: text }),
      run: ({ world, mount, params: { name } }) =>
        dataOutcome({ code: currentCode(world, mount, name) }),
    }),
    operation.write('totpValidateCode', 'code/:name', {
      summary: 'Validate a code; each code is valid only once.',
      secrets: { body: ['code'] },
      body: { code: requiredText('The code') },
      reply: enveloped({ valid: bool }),
      run: ({ world, mount, params: { name }, fields: { code } }) =>
        dataOutcome({ valid: validateCode(world, mount, name, code) }),
    }),
  ],
}
