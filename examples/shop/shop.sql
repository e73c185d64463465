-- A market place that outgrows one PostgreSQL server and is about to move to Citus. Customers read
-- their own orders, everybody reads products, and placing an order touches both.
--
-- Every figure is assumed: a million orders a day with three items each, five times the mean at
-- the peak of a sale. There is no plan yet: ask `shardwright advise` for one.
-- @target engine=citus shards=32 nodes=4

-- @table rows=60M growth=30k/day row_size=350B
CREATE TABLE customers (
  customer_id   bigint PRIMARY KEY,                                    -- @column generated=snowflake
  email         text NOT NULL,                                         -- @column distinct=60M distinct_growth=30k/day size=28B
  name          text NOT NULL,
  password_hash text NOT NULL,                                         -- @column size=60B
  created_at    timestamptz NOT NULL DEFAULT now()                     -- @column monotonic=true
);

-- @table rows=2k row_size=120B
CREATE TABLE categories (
  category_id int PRIMARY KEY,                                         -- @column distinct=2k
  name        text NOT NULL
);

-- @table rows=400k growth=200/day row_size=1200B
CREATE TABLE products (
  product_id  bigint PRIMARY KEY,                                      -- @column generated=snowflake
  category_id int NOT NULL REFERENCES categories (category_id),        -- @column distinct=2k skew=zipf(0.8)
  title       text NOT NULL,                                           -- @column size=80B
  description text NOT NULL,                                           -- @column size=1000B
  price       numeric NOT NULL                                         -- @column mutable=true
);

-- Counted down by every order, so apart from the product's text.
-- @table rows=400k growth=200/day row_size=60B
CREATE TABLE stock (
  product_id bigint PRIMARY KEY REFERENCES products (product_id),      -- @column distinct=400k
  on_hand    int NOT NULL,                                             -- @column mutable=true
  updated_at timestamptz NOT NULL                                      -- @column mutable=true
);

-- @table rows=9M growth=5k/day row_size=60B
CREATE TABLE carts (
  customer_id bigint PRIMARY KEY REFERENCES customers (customer_id),   -- @column distinct=9M
  coupon      text,                                                    -- @column nulls=95%
  updated_at  timestamptz NOT NULL                                     -- @column mutable=true
);

-- @table rows=25M growth=15k/day row_size=48B
CREATE TABLE cart_items (
  customer_id bigint NOT NULL REFERENCES carts (customer_id),          -- @column distinct=9M
  product_id  bigint NOT NULL REFERENCES products (product_id),        -- @column distinct=300k skew=zipf(0.9)
  quantity    int NOT NULL,                                            -- @column mutable=true
  PRIMARY KEY (customer_id, product_id)
);

-- The growth is the rate of "place order".
-- @table rows=900M growth=1M/day row_size=450B
CREATE TABLE orders (
  order_id    bigint PRIMARY KEY,                                      -- @column generated=snowflake
  customer_id bigint NOT NULL REFERENCES customers (customer_id),      -- @column distinct=45M skew=zipf(0.4)
  -- @column mutable=true
  status      text NOT NULL CHECK (status IN ('placed', 'paid', 'shipped', 'delivered', 'returned')),
  placed_at   timestamptz NOT NULL DEFAULT now(),                      -- @column monotonic=true
  total       numeric NOT NULL,
  address     text NOT NULL                                            -- @column size=200B
);

-- @table rows=2.7B growth=3M/day row_size=150B
CREATE TABLE order_items (
  item_id    bigint PRIMARY KEY,                                       -- @column generated=snowflake
  order_id   bigint NOT NULL REFERENCES orders (order_id),             -- @column distinct=900M distinct_growth=1M/day
  product_id bigint NOT NULL REFERENCES products (product_id),         -- @column distinct=390k skew=zipf(0.9)
  quantity   int NOT NULL,
  price      numeric NOT NULL
);

-- customer_id has no reference: a review outlives its author's account.
-- @table rows=250M growth=120k/day row_size=700B
CREATE TABLE reviews (
  review_id   bigint PRIMARY KEY,                                      -- @column generated=snowflake
  product_id  bigint NOT NULL REFERENCES products (product_id),        -- @column distinct=250k skew=zipf(0.9)
  customer_id bigint NOT NULL,                                         -- @column distinct=20M skew=zipf(0.5)
  stars       int NOT NULL,                                            -- @column distinct=5
  body        text NOT NULL,                                           -- @column size=600B
  created_at  timestamptz NOT NULL DEFAULT now()                       -- @column monotonic=true
);

-- @pattern name="product page" rate=6000/s peak=4x p99=30ms popularity.p=zipf(0.9)
SELECT p.title, p.description, p.price, c.name
FROM products p JOIN categories c ON c.category_id = p.category_id WHERE p.product_id = :p;

-- @pattern name="reviews of a product" rate=2500/s peak=4x p99=60ms popularity.p=zipf(0.9)
SELECT review_id, stars, body, created_at FROM reviews WHERE product_id = :p ORDER BY created_at DESC LIMIT 10;

-- @pattern name="products of a category" rate=1200/s peak=4x served_by=search
SELECT product_id, title, price FROM products WHERE category_id = :k LIMIT 40;

-- @pattern name="in stock" rate=2000/s peak=4x p99=20ms popularity.p=zipf(0.9)
SELECT on_hand FROM stock WHERE product_id = :p;

-- @pattern name="cart with prices" rate=1500/s peak=4x p99=60ms
SELECT i.product_id, i.quantity, p.title, p.price
FROM cart_items i JOIN products p ON p.product_id = i.product_id WHERE i.customer_id = :c;

-- @pattern name="put in cart" rate=250/s peak=5x popularity.p=zipf(0.9)
BEGIN;
INSERT INTO cart_items (customer_id, product_id, quantity) VALUES (:c, :p, :q)
ON CONFLICT (customer_id, product_id) DO UPDATE SET quantity = :q;
UPDATE carts SET updated_at = now() WHERE customer_id = :c;
COMMIT;

-- Three items in the mean.
-- @pattern name="place order" rate=1M/day peak=5x p99=300ms popularity.p=zipf(0.9)
BEGIN;
INSERT INTO orders (order_id, customer_id, status, placed_at, total, address)
VALUES (:o, :c, 'placed', now(), :total, :address);
-- @times 3 each=item,p,q,price
INSERT INTO order_items (item_id, order_id, product_id, quantity, price) VALUES (:item, :o, :p, :q, :price);
-- @times 3 each=p,q
UPDATE stock SET on_hand = on_hand - :q, updated_at = now() WHERE product_id = :p;
DELETE FROM cart_items WHERE customer_id = :c;
COMMIT;

-- @pattern name="orders of a customer" rate=900/s peak=3x p99=50ms popularity.c=zipf(0.4)
SELECT order_id, status, placed_at, total FROM orders WHERE customer_id = :c ORDER BY placed_at DESC LIMIT 20;

-- @pattern name="order with its items" rate=700/s peak=3x p99=60ms
SELECT o.status, o.placed_at, o.total, i.product_id, i.quantity, i.price
FROM orders o JOIN order_items i ON i.order_id = o.order_id WHERE o.customer_id = :c AND o.order_id = :o;

-- The payment service and the support desk know only the order.
-- @pattern name="order by its number" rate=40/s p99=100ms
SELECT customer_id, status, total FROM orders WHERE order_id = :o;

-- @pattern name="change status" rate=3M/day
UPDATE orders SET status = :status WHERE customer_id = :c AND order_id = :o;

-- @pattern name="log in" rate=60/s peak=4x p99=100ms
SELECT customer_id, password_hash FROM customers WHERE email = :e;

-- @pattern name="profile" rate=800/s served_by=cache(70%)
SELECT name, email, created_at FROM customers WHERE customer_id = :c;

-- @pattern name="register" rate=30k/day
BEGIN;
INSERT INTO customers (customer_id, email, name, password_hash, created_at) VALUES (:c, :e, :name, :hash, now());
INSERT INTO carts (customer_id, updated_at) VALUES (:c, now());
COMMIT;

-- @pattern name="write review" rate=120k/day popularity.p=zipf(0.9)
INSERT INTO reviews (review_id, product_id, customer_id, stars, body, created_at)
VALUES (:r, :p, :c, :stars, :body, now());

-- @pattern name="reviews of a customer" rate=15/s
SELECT review_id, product_id, stars, body FROM reviews WHERE customer_id = :c ORDER BY created_at DESC LIMIT 20;

-- @pattern name="change price" rate=100k/day
UPDATE products SET price = :price WHERE product_id = :p;

-- @pattern name="restock" rate=200k/day
UPDATE stock SET on_hand = on_hand + :q, updated_at = now() WHERE product_id = :p;

-- The packing hall asks for all customers together.
-- @pattern name="orders to ship" rate=6/min
SELECT order_id, customer_id, address FROM orders WHERE status = 'paid' ORDER BY placed_at LIMIT 200;

-- @pattern name="sales of a day" rate=1/day served_by=warehouse
SELECT product_id, sum(quantity) FROM order_items GROUP BY product_id;
