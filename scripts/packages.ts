import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { Plugin } from 'esbuild'

/**
 * Rarely needed packages, by import path. Each package is built into its own file,
 * `dist/src/packages/<name>.cjs`.
 */
const separatePackages: ReadonlyMap<string, string> = new Map([
  ['@peculiar/x509', 'x509'],
  ['ajv/dist/2020.js', 'ajv'],
  ['nodemailer', 'nodemailer'],
  ['pino-pretty', 'pino-pretty'],
  ['re2js', 're2js'],
  ['yaml', 'yaml'],
])

/** Schema compilers that Fastify depends on, built into one file. */
const compilers = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']
const compilersName = 'schema-compilers'

/** Entry points of separately built files, by file name. */
export const separateEntries: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...separatePackages].map(([path, name]) => [name, path])),
  [compilersName]: compilersName,
}

const bundlePath = (name: string) => `./packages/${name}.cjs`

/** Plugin that loads the separately built packages from their files. */
export const loadSeparatePackages: Plugin = {
  name: 'packages-aside',
  setup({ initialOptions, onResolve, onLoad }) {
    onResolve({ filter: /^[^.]/ }, ({ path, kind }) => {
      const name = separatePackages.get(path)
      if (name === undefined || kind === 'entry-point') return undefined
      return { path: bundlePath(name), external: true }
    })
    onResolve({ filter: /^\.\/packages\// }, ({ path }) => ({ path, external: true }))
    // Sources load a package synchronously with `createRequire(import.meta.url)`. In a CommonJS
    // module, the module's own `require` replaces this call; it may differ from that of Node
    // (src/server/executable.ts).
    const isCommonJs = initialOptions.format === 'cjs'
    onLoad({ filter: /[\\/](?:state|routes|src)[\\/].*\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replace(
        /(createRequire\(import\.meta\.url\))\('([^']+)'\)/g,
        (_, createRequireCall, requested) =>
          `${isCommonJs ? 'require' : createRequireCall}('${bundlePath(separatePackages.get(requested) ?? rejectUnknown(requested))}')`,
      )
      return { contents, loader: 'ts' }
    })
  },
}

function rejectUnknown(path: string): never {
  throw new Error(`${path} is required by a source; say in scripts/packages.ts how it is built`)
}

/**
 * Plugin that loads the schema compilers when they are first used. Fastify creates them when an app
 * starts, although only routes of embedding programs have schemas.
 */
export const compilersAtFirstUse: Plugin = {
  name: 'compilers-at-first-use',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@fastify\/.*-compiler$/ }, ({ path, importer }) => {
      return /[\\/]fastify[\\/]/.test(importer) ? { path, namespace: compilersName } : undefined
    })
    onLoad({ filter: /./, namespace: compilersName }, ({ path }) => ({
      contents: `
        module.exports = (...options) => {
          let build
          return (...given) => {
            build ??= require('${bundlePath(compilersName)}')['${path}'](...options)
            return build(...given)
          }
        }`,
    }))
  },
}

/**
 * Plugin that loads HTTP/2 when it is first used. Fastify loads it at the start, which takes a
 * fiftieth of a cold start, but no server here uses it.
 */
export const http2AtFirstUse: Plugin = {
  name: 'http2-at-first-use',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http2$/ }, ({ importer }) => {
      return /[\\/]fastify[\\/]/.test(importer)
        ? { path: 'http2', namespace: 'at-first-use' }
        : undefined
    })
    onLoad({ filter: /./, namespace: 'at-first-use' }, () => ({
      contents: `
        exports.createServer = (...given) => require('node:http2').createServer(...given)
        exports.createSecureServer = (...given) => require('node:http2').createSecureServer(...given)`,
    }))
  },
}

/**
 * Plugin that generates the entry point of the schema compilers' file. The file exports each
 * compiler under the name of its package.
 */
export const compilersEntry: Plugin = {
  name: 'compilers-entry',
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^${compilersName}$`)
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'entry' }))
    onLoad({ filter, namespace: 'entry' }, () => ({
      resolveDir: dirname(createRequire(import.meta.url).resolve('fastify')),
      contents: compilers.map((path) => `exports['${path}'] = require('${path}')`).join('\n'),
    }))
  },
}
