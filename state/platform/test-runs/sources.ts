/**
 * Where a test run or a configuration version comes from: the command-line client, the API, or a
 * version that was uploaded (2-platform.md, Test run).
 */
export type TestSource = 'infra' | 'ent-api' | 'ent-configuration-version'
