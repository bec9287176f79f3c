import { mistakesAt } from './mistakes.ts'

/** Request that mounts a PKI engine. */
export const mountPki = 'POST /v1/sys/mounts/pki {"type":"pki"}'

const root = '{"common_name":"Root","issuer_name":"main","key_name":"mine","key_type":"ec"}'

/** Requests that make a CA. */
export const authority = [mountPki, `POST /v1/pki/root/generate/internal ${root}`]

/** Requests that make a CA and a role that allows every name. */
export const web = [...authority, 'POST /v1/pki/roles/web {"allow_any_name":true,"key_type":"ec"}']

/** Returns mistakes in requests to the PKI engine, after the same requests. */
export const mistakesAfter = mistakesAt('pki')
