/** Where a bundle lies in the bucket: under the hash of its bytes. */
export const bundleKey = (sha256: string) => `bundles/${sha256}.json.gz`;
