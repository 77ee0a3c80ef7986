drop function rt.unswept();
