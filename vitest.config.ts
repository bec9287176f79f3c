import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Packages come as Node hands them to the built program, not unwrapped.
    deps: { interopDefault: false },
    // Nothing mutable lives at module level, so test files can share what they import: loading it
    // anew for each file would take as long as the tests.
    isolate: false,
    // By default one core is left over, which on a small machine is half of it.
    maxWorkers: '100%',
    coverage: {
      provider: 'v8',
      include: ['state/**/*.ts', 'routes/**/*.ts', 'src/**/*.ts'],
      reporter: ['text-summary'],
    },
  },
})
