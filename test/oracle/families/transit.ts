import { rootRequest } from '../../../src/cli/compare/request.ts'
import { counts, durations, enable, type Family, plain, remove } from './family.ts'

export const transit: Family = {
  name: 'transit',
  before: [enable('mounts/understudy-t', 'transit'), rootRequest('POST', 'understudy-t/keys/k')],
  after: [remove('sys/mounts/understudy-t')],
  variables: [
    { name: '$cipher', memberPath: ['data', 'ciphertext'] },
    { name: '$signature', memberPath: ['data', 'signature'] },
    { name: '$hmac', memberPath: ['data', 'hmac'] },
  ],
  requests: [
    {
      weight: 2,
      method: 'POST',
      path: 'understudy-t/keys/k|e|n',
      more: {
        type: ['aes256-gcm96', 'ed25519', 'ecdsa-p256', 'hmac', 'x'],
        derived: [true, false],
        convergent_encryption: [true, false],
        exportable: [true],
        auto_rotate_period: durations,
      },
    },
    { method: 'GET|DELETE', path: 'understudy-t/keys/k|e|n' },
    { method: 'POST', path: 'understudy-t/keys/k|e|n/rotate' },
    {
      method: 'POST',
      path: 'understudy-t/keys/k|e|n/config',
      more: {
        min_decryption_version: counts,
        min_encryption_version: counts,
        deletion_allowed: [true, false],
        exportable: [true],
      },
    },
    {
      weight: 3,
      method: 'POST',
      path: 'understudy-t/encrypt/k|k|e|new',
      more: {
        plaintext: plain,
        context: ['YQ==', '!'],
        key_version: counts,
        associated_data: ['YQ==', '!'],
        batch_input: [[{ plaintext: 'YQ==' }], [{}], [{ plaintext: '!' }], []],
      },
    },
    {
      weight: 3,
      method: 'POST',
      path: 'understudy-t/decrypt|rewrap/k|e',
      more: {
        ciphertext: ['$cipher', '$cipher', 'x', 'vault:v1:YQ=='],
        context: ['YQ=='],
        batch_input: [[{ ciphertext: '$cipher' }], [{ ciphertext: 'x' }], [{}]],
      },
    },
    {
      method: 'POST',
      path: 'understudy-t/sign/k|e',
      more: {
        input: plain,
        hash_algorithm: ['sha2-256', 'x'],
        prehashed: [true],
        signature_algorithm: ['pss', 'x'],
      },
    },
    {
      method: 'POST',
      path: 'understudy-t/hmac/k|e',
      more: { input: plain, algorithm: ['sha2-512', 'x'] },
    },
    {
      method: 'POST',
      path: 'understudy-t/verify/k|e',
      more: { input: plain, signature: ['$signature', 'x'], hmac: ['$hmac', 'x'] },
    },
    {
      method: 'POST',
      path: 'understudy-t/datakey/plaintext|wrapped|x/k',
      more: { bits: [128, 256, 3] },
    },
    { method: 'GET', path: 'understudy-t/export/encryption-key|hmac-key|x/k|e' },
    { method: 'GET|POST', path: 'understudy-t/cache-config|config', more: { size: [0, 20, 3] } },
  ],
}
