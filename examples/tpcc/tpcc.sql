-- The order-entry benchmark TPC-C on Citus, placed by warehouse: nine tables and five transactions.
-- The numbers of rows, their sizes, the mix and the remote shares are those of the specification
-- (clauses 1.2, 2.4, 2.5 and 5.2.3); the scale, the rate and the nodes are assumed.
--
-- 4,000 warehouses and 1,760 transactions a second: 792 new orders a second are 47,520 a minute,
-- 11.9 a warehouse, under the 12.86 that the specification's waiting times allow. The mix is
-- 45% new order, 43% payment, and 4% each of order status, delivery and stock level.
-- A new order has 5 to 15 lines with equal chance, so it stands here as eleven patterns. Each line
-- is supplied by another warehouse in 1% of the cases; a payment is made by a customer of another
-- warehouse in 15%. Customers are named by last name in 60%, else by id.
-- @target engine=citus shards=16 nodes=4

-- @table rows=4k row_size=89B
CREATE TABLE warehouse (
  w_id   int PRIMARY KEY,                                  -- @column distinct=4k
  w_name varchar(10) NOT NULL,
  w_tax  numeric NOT NULL,
  w_ytd  numeric NOT NULL                                  -- @column mutable=true
);

-- @table rows=40k row_size=95B
CREATE TABLE district (
  d_w_id      int NOT NULL REFERENCES warehouse (w_id),    -- @column distinct=4k
  d_id        int NOT NULL,                                -- @column distinct=10
  d_tax       numeric NOT NULL,
  d_ytd       numeric NOT NULL,                            -- @column mutable=true
  d_next_o_id int NOT NULL,                                -- @column mutable=true
  PRIMARY KEY (d_w_id, d_id)
);

-- @table rows=120M row_size=655B
CREATE TABLE customer (
  c_w_id     int NOT NULL,                                 -- @column distinct=4k
  c_d_id     int NOT NULL,                                 -- @column distinct=10
  c_id       int NOT NULL,                                 -- @column distinct=3000
  c_last     varchar(16) NOT NULL,                         -- @column distinct=1000
  c_credit   char(2) NOT NULL,                             -- @column distinct=2
  c_discount numeric NOT NULL,
  c_balance  numeric NOT NULL,                             -- @column mutable=true
  PRIMARY KEY (c_w_id, c_d_id, c_id),
  FOREIGN KEY (c_w_id, c_d_id) REFERENCES district (d_w_id, d_id)
);

-- It has no primary key in the benchmark.
-- @table rows=120M growth=756.8/s row_size=46B
CREATE TABLE history (
  h_c_id   int NOT NULL,                                   -- @column distinct=3000
  h_c_d_id int NOT NULL,                                   -- @column distinct=10
  h_c_w_id int NOT NULL,                                   -- @column distinct=4k
  h_d_id   int NOT NULL,                                   -- @column distinct=10
  h_w_id   int NOT NULL,                                   -- @column distinct=4k
  h_date   timestamptz NOT NULL,                           -- @column monotonic=true
  h_amount numeric NOT NULL
);

-- @table rows=120M growth=792/s row_size=24B
CREATE TABLE orders (
  o_w_id       int NOT NULL,                               -- @column distinct=4k
  o_d_id       int NOT NULL,                               -- @column distinct=10
  o_id         int NOT NULL,                               -- @column distinct=3000 monotonic=true
  o_c_id       int NOT NULL,                               -- @column distinct=3000
  o_entry_d    timestamptz NOT NULL,                       -- @column monotonic=true
  o_carrier_id int,                                        -- @column distinct=10 nulls=30% mutable=true
  o_ol_cnt     int NOT NULL,                               -- @column distinct=11
  PRIMARY KEY (o_w_id, o_d_id, o_id),
  FOREIGN KEY (o_w_id, o_d_id, o_c_id) REFERENCES customer (c_w_id, c_d_id, c_id)
);

-- As many are delivered as are placed, so it keeps its size.
-- @table rows=36M row_size=8B
CREATE TABLE new_order (
  no_w_id int NOT NULL,                                    -- @column distinct=4k
  no_d_id int NOT NULL,                                    -- @column distinct=10
  no_o_id int NOT NULL,                                    -- @column distinct=900 monotonic=true
  PRIMARY KEY (no_w_id, no_d_id, no_o_id),
  FOREIGN KEY (no_w_id, no_d_id, no_o_id) REFERENCES orders (o_w_id, o_d_id, o_id)
);

-- @table rows=100k row_size=82B
CREATE TABLE item (
  i_id    int PRIMARY KEY,                                 -- @column distinct=100k
  i_name  varchar(24) NOT NULL,
  i_price numeric NOT NULL
);

-- @table rows=400M row_size=306B
CREATE TABLE stock (
  s_w_id      int NOT NULL REFERENCES warehouse (w_id),    -- @column distinct=4k
  s_i_id      int NOT NULL REFERENCES item (i_id),         -- @column distinct=100k
  s_quantity  int NOT NULL,                                -- @column mutable=true
  s_ytd       int NOT NULL,                                -- @column mutable=true
  s_order_cnt int NOT NULL,                                -- @column mutable=true
  PRIMARY KEY (s_w_id, s_i_id)
);

-- @table rows=1.2B growth=7920/s row_size=54B
CREATE TABLE order_line (
  ol_w_id        int NOT NULL,                             -- @column distinct=4k
  ol_d_id        int NOT NULL,                             -- @column distinct=10
  ol_o_id        int NOT NULL,                             -- @column distinct=3000 monotonic=true
  ol_number      int NOT NULL,                             -- @column distinct=15
  ol_i_id        int NOT NULL,                             -- @column distinct=100k
  ol_supply_w_id int NOT NULL,                             -- @column distinct=4k
  ol_delivery_d  timestamptz,                              -- @column nulls=30% mutable=true
  ol_quantity    int NOT NULL,
  ol_amount      numeric NOT NULL,
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number),
  FOREIGN KEY (ol_w_id, ol_d_id, ol_o_id) REFERENCES orders (o_w_id, o_d_id, o_id)
);

SELECT create_reference_table('item');
SELECT create_distributed_table('warehouse', 'w_id');
SELECT create_distributed_table('district', 'd_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('customer', 'c_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('history', 'h_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('orders', 'o_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('new_order', 'no_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('order_line', 'ol_w_id', colocate_with => 'warehouse');
SELECT create_distributed_table('stock', 's_w_id', colocate_with => 'warehouse');

-- @pattern name="new order of 5 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 5);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 5 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 5 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 5 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 6 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 6);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 6 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 6 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 6 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 7 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 7);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 7 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 7 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 7 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 8 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 8);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 8 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 8 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 8 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 9 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 9);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 9 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 9 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 9 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 10 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 10);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 10 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 10 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 10 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 11 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 11);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 11 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 11 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 11 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 12 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 12);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 12 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 12 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 12 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 13 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 13);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 13 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 13 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 13 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 14 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 14);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 14 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 14 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 14 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="new order of 15 lines" rate=72/s
-- @param supply same_as=w share=99%
BEGIN;
SELECT w_tax FROM warehouse WHERE w_id = :w;
SELECT c_discount, c_last, c_credit FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w AND d_id = :d;
INSERT INTO orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_ol_cnt) VALUES (:w, :d, :o, :c, now(), 15);
INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (:w, :d, :o);
-- @times 15 each=i
SELECT i_name, i_price FROM item WHERE i_id = :i;
-- @times 15 each=supply,i,q
UPDATE stock SET s_quantity = s_quantity - :q, s_ytd = s_ytd + :q, s_order_cnt = s_order_cnt + 1
WHERE s_w_id = :supply AND s_i_id = :i;
-- @times 15 each=supply,i,q,n,amount
INSERT INTO order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount)
VALUES (:w, :d, :o, :n, :i, :supply, :q, :amount);
COMMIT;

-- @pattern name="payment by last name" rate=454.08/s
-- @param cw same_as=w share=85%
-- @param cd same_as=d share=85%
BEGIN;
SELECT c_id, c_balance FROM customer WHERE c_w_id = :cw AND c_d_id = :cd AND c_last = :last ORDER BY c_id;
UPDATE warehouse SET w_ytd = w_ytd + :a WHERE w_id = :w;
UPDATE district SET d_ytd = d_ytd + :a WHERE d_w_id = :w AND d_id = :d;
UPDATE customer SET c_balance = c_balance - :a WHERE c_w_id = :cw AND c_d_id = :cd AND c_id = :c;
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount)
VALUES (:c, :cd, :cw, :d, :w, now(), :a);
COMMIT;

-- @pattern name="payment by id" rate=302.72/s
-- @param cw same_as=w share=85%
-- @param cd same_as=d share=85%
BEGIN;
UPDATE warehouse SET w_ytd = w_ytd + :a WHERE w_id = :w;
UPDATE district SET d_ytd = d_ytd + :a WHERE d_w_id = :w AND d_id = :d;
UPDATE customer SET c_balance = c_balance - :a WHERE c_w_id = :cw AND c_d_id = :cd AND c_id = :c;
INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount)
VALUES (:c, :cd, :cw, :d, :w, now(), :a);
COMMIT;

-- @pattern name="order status by last name" rate=42.24/s
BEGIN;
SELECT c_id, c_balance FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_last = :last ORDER BY c_id;
SELECT o_id, o_entry_d, o_carrier_id
FROM orders
WHERE o_w_id = :w AND o_d_id = :d AND o_c_id = :c ORDER BY o_id DESC LIMIT 1;
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
FROM order_line
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o;
COMMIT;

-- @pattern name="order status by id" rate=28.16/s
BEGIN;
SELECT c_balance FROM customer WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
SELECT o_id, o_entry_d, o_carrier_id
FROM orders
WHERE o_w_id = :w AND o_d_id = :d AND o_c_id = :c ORDER BY o_id DESC LIMIT 1;
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
FROM order_line
WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o;
COMMIT;

-- The oldest new order of each of the ten districts of a warehouse.
-- @pattern name="delivery" rate=70.4/s
BEGIN;
-- @times 10 each=d
SELECT no_o_id FROM new_order WHERE no_w_id = :w AND no_d_id = :d ORDER BY no_o_id LIMIT 1;
-- @times 10 each=d,o
DELETE FROM new_order WHERE no_w_id = :w AND no_d_id = :d AND no_o_id = :o;
-- @times 10 each=d,o
UPDATE orders SET o_carrier_id = :k WHERE o_w_id = :w AND o_d_id = :d AND o_id = :o;
-- @times 10 each=d,o
UPDATE order_line SET ol_delivery_d = now() WHERE ol_w_id = :w AND ol_d_id = :d AND ol_o_id = :o;
-- @times 10 each=d,c,amount
UPDATE customer SET c_balance = c_balance + :amount WHERE c_w_id = :w AND c_d_id = :d AND c_id = :c;
COMMIT;

-- The items of a district's last twenty orders.
-- @pattern name="stock level" rate=70.4/s
BEGIN;
SELECT d_next_o_id FROM district WHERE d_w_id = :w AND d_id = :d;
SELECT count(DISTINCT s.s_i_id)
FROM order_line l JOIN stock s ON s.s_w_id = l.ol_w_id AND s.s_i_id = l.ol_i_id
WHERE l.ol_w_id = :w AND l.ol_d_id = :d AND l.ol_o_id >= :low AND l.ol_o_id < :high AND s.s_quantity < :threshold;
COMMIT;
