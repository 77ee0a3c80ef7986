import test from 'ava';
import { isPublicAddress } from '../../../infra/outbound/public-address.ts';

// IANA's registries of special-purpose addresses, RFC 6890 and its updates.
const notPublic = `
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
  169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.0.1
  198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255
  :: ::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 2001::1
  2001:2::1 2001:db8::1 2002:7f00:1::1 3fff::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1 4000::1
  localhost example.org 1.2.3 0x7f.0.0.1`;
const open = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1
  169.253.255.255 172.15.255.255 172.32.0.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1
  223.255.255.255 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1 3ffe::1`;

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');

test('what is not of the open internet is known as such', (t) => {
  for (const address of words(notPublic)) t.false(isPublicAddress(address), address);
});

test('what is of the open internet is let through', (t) => {
  for (const address of words(open)) t.true(isPublicAddress(address), address);
});
