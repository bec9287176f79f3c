import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorRefusals, commonMessages } from '../common-messages.ts'

/** Texts of the TOTP engine (behaviour/secrets#totp). */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  'totp-key-absent': {
    kind: 'absent',
    text: 'there is no such key',
    detail: { unenveloped: true },
  },
  ...refusals('invalid', {
    'totp-key-with-generation': 'a key should not be passed if generate is true',
    'totp-url-with-generation': 'a url should not be passed if generate is true',
    'totp-url-unreadable': 'an error occurred while parsing url string',
    'totp-url-number-unreadable': 'an error occurred while parsing {member} value in url',
    'totp-digits': 'the digits value can only be 6 or 8',
    'totp-algorithm': 'the algorithm value is not valid',
    'totp-period': 'the period value must be greater than zero',
    'totp-skew': 'the skew value must be 0 or 1',
    'totp-qr-size': 'the qr_size value must be greater than or equal to zero',
    'totp-key-size': 'the key_size value must be greater than zero',
    'totp-account-missing': 'the account_name value is required for generated keys',
    'totp-issuer-missing': 'the issuer value is required for generated keys',
    'totp-key-missing': 'the key value is required',
    'totp-key-invalid': 'invalid key value: illegal base32 data at input byte {at}',
    'totp-key-unknown': 'unknown key: {name}',
    'totp-code-missing': 'the code value is required',
    'totp-code-used': 'code already used; wait until the next time period',
  }),
  ...callerErrorRefusals({
    'totp-image-small':
      'failed to generate QR code image: can not scale barcode to an image smaller than {modules}x{modules}',
    'totp-url-long': 'failed to generate QR code image: the URL is too long for a QR code',
  }),
})
